//! `LET t = d.type FILTER t == 1` is `FILTER d.type == 1`: assignments of mere paths are read through.

use super::for_each_pipeline_ex;
use crate::plan::expr::{Ex, Slot};
use crate::plan::{Node, Pipeline};
use crate::value::SmolStr;

/// Replaces reads of variables that only name an attribute path or a constant.
pub(super) fn inline_paths(pipeline: &mut Pipeline) {
    for at in 0..pipeline.nodes.len() {
        let Node::Let(slot, ex) = &pipeline.nodes[at] else { continue };
        let (slot, ex) = (*slot, (**ex).clone());
        if !matches!(ex, Ex::Slot(_) | Ex::Path(..) | Ex::Const(_) | Ex::Bound(_)) {
            continue;
        }
        // the rows of a group are built from what the variables hold, so only later reads are replaced
        for_each_pipeline_ex(pipeline, &mut |target| substitute(target, slot, &ex));
    }
}

fn substitute(target: &mut Ex, slot: Slot, by: &Ex) {
    match target {
        Ex::Slot(s) if *s == slot => *target = by.clone(),
        Ex::Path(s, names) if *s == slot => {
            let names = names.clone();
            *target = extend(by, &names);
        }
        // a subquery reads the variable itself: it is evaluated while the LET still stands
        Ex::Subquery(_) | Ex::SubqueryCount(_) => {}
        other => other.for_each_child_mut(&mut |child| substitute(child, slot, by)),
    }
}

fn extend(by: &Ex, names: &[SmolStr]) -> Ex {
    match by {
        Ex::Slot(s) => Ex::Path(*s, names.into()),
        Ex::Path(s, first) => Ex::Path(*s, first.iter().chain(names).cloned().collect()),
        Ex::Const(v) => Ex::Const(v.path(names)),
        other => names.iter().fold(other.clone(), |base, name| Ex::Attribute(Box::new(base), name.clone())),
    }
}
