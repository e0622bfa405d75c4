//! Which variables are visible where, as far as the parser has to know.

use smol_str::SmolStr;

use crate::seeded::SeededMap;

/// The nested scopes of a query: the query itself, its subqueries, and a scope for every loop.
pub(super) struct Scopes {
    frames: Vec<Frame>,
    /// How many open frames declare a name.
    visible: SeededMap<SmolStr, u32>,
}

#[derive(Default)]
struct Frame {
    /// Opened by a `FOR`, or by the `COLLECT` that ended it; not by a query.
    is_loop: bool,
    names: Vec<SmolStr>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self { frames: vec![Frame::default()], visible: SeededMap::default() }
    }
}

impl Scopes {
    /// A `FOR` begins.
    pub(super) fn start_loop(&mut self) {
        self.frames.push(Frame { is_loop: true, names: Vec::new() });
    }

    /// A `COLLECT` hides what the loops before it introduced.
    pub(super) fn start_collect(&mut self) {
        if self.in_loop() {
            self.end_loops();
            self.start_loop();
        }
    }

    /// A subquery begins.
    pub(super) fn start_subquery(&mut self) {
        self.frames.push(Frame::default());
    }

    /// The subquery is over, and with it what it introduced.
    pub(super) fn end_subquery(&mut self) {
        self.end_loops();
        self.pop();
    }

    /// Whether the current place is inside a loop of its own query.
    pub(super) fn in_loop(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_loop)
    }

    /// Introduces a variable.
    pub(super) fn declare(&mut self, name: &SmolStr) {
        if let Some(frame) = self.frames.last_mut() {
            frame.names.push(name.clone());
            *self.visible.entry(name.clone()).or_default() += 1;
        }
    }

    /// Whether a variable of this name is visible.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.visible.get(name).is_some_and(|count| *count > 0)
    }

    fn end_loops(&mut self) {
        while self.in_loop() {
            self.pop();
        }
    }

    fn pop(&mut self) {
        for name in self.frames.pop().unwrap_or_default().names {
            if let Some(count) = self.visible.get_mut(&name) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collect_hides_the_variables_of_the_loops_but_not_those_before_them() {
        let mut scopes = Scopes::default();
        scopes.declare(&"before".into());
        scopes.start_loop();
        scopes.declare(&"row".into());
        scopes.start_collect();
        assert!(scopes.contains("before"));
        assert!(!scopes.contains("row"));
        assert!(scopes.in_loop());
    }

    #[test]
    fn a_subquery_sees_outer_variables_and_keeps_its_own() {
        let mut scopes = Scopes::default();
        scopes.start_loop();
        scopes.declare(&"outer".into());
        scopes.start_subquery();
        assert!(!scopes.in_loop());
        scopes.start_loop();
        scopes.declare(&"inner".into());
        assert!(scopes.contains("outer"));
        scopes.end_subquery();
        assert!(!scopes.contains("inner"));
        assert!(scopes.in_loop());
    }
}
