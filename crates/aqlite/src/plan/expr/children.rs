//! What stands directly below an expression.

use super::{Ex, ObjectEntry, Quantity};

/// The walks over what is shared and over what is changed, written once: they differ in their references alone.
macro_rules! walks {
    ($walk:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Ex {
            /// Calls `f` on every expression directly below this one (not into subqueries).
            pub fn $walk<'a>(&'a $($mutable)? self, f: &mut dyn FnMut(&'a $($mutable)? Ex)) {
                match self {
                    Self::Const(_)
                    | Self::Bound(_)
                    | Self::Slot(_)
                    | Self::Path(..)
                    | Self::Subquery(_)
                    | Self::SubqueryCount(_) => {}
                    Self::Attribute(e, _) | Self::Minus(e) | Self::Plus(e) | Self::Not(e) => f(e),
                    Self::Index(a, b) | Self::Range(a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Binary(_, a, b) => {
                        f(a);
                        f(b);
                    }
                    Self::Array(items) | Self::Call(_, items) => items.$iter().for_each(f),
                    Self::Object(entries) => entries.$iter().for_each(|entry| match entry {
                        ObjectEntry::Named(_, e) | ObjectEntry::Spread(e) => f(e),
                        ObjectEntry::Computed(k, e) => {
                            f(k);
                            f(e);
                        }
                    }),
                    Self::ArrayCompare(quantity, _, a, b) => {
                        quantity.$walk(f);
                        f(a);
                        f(b);
                    }
                    Self::Ternary(c, a, b) => {
                        f(c);
                        if let Some(a) = a {
                            f(a);
                        }
                        f(b);
                    }
                    Self::Expansion(x) => {
                        f(&$($mutable)? x.base);
                        x.filter.$iter().for_each(&mut *f);
                        if let Some((offset, count)) = &$($mutable)? x.limit {
                            offset.$iter().for_each(&mut *f);
                            f(count);
                        }
                        x.projection.$iter().for_each(f);
                    }
                    Self::Question(q) => {
                        f(&$($mutable)? q.base);
                        q.quantity.$walk(f);
                        q.filter.$iter().for_each(f);
                    }
                }
            }
        }

        impl Quantity {
            fn $walk<'a>(&'a $($mutable)? self, f: &mut dyn FnMut(&'a $($mutable)? Ex)) {
                match self {
                    Self::Any | Self::All | Self::None => {}
                    Self::AtLeast(e) | Self::Exactly(e) => f(e),
                    Self::Between(a, b) => {
                        f(a);
                        f(b);
                    }
                }
            }
        }
    };
}

walks!(for_each_child, iter);
walks!(for_each_child_mut, iter_mut, mut);
