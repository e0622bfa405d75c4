//! What a query mentions, and its tree in the words of ArangoDB: the answer of `POST /_api/query`.

use super::ast::{
    self, BinaryOp, Clause, CollectInto, Expr, ExprKind, ForSource, GraphRef, Name, NameKind, ObjectItem,
};
use super::ast::{ModifyKind, SortDirection, UnaryOp, Var};
use crate::value::{SmolStr, Value};

/// See [`describe`].
#[derive(Debug, Default)]
pub struct Description {
    /// Names of the bind parameters, `@name` for those of collections.
    pub bind_vars: Vec<SmolStr>,
    /// Collections named in the text.
    pub collections: Vec<SmolStr>,
    /// The tree.
    pub ast: Value,
}

/// Describes a query without binding it to data.
pub fn describe(query: &ast::Query) -> Description {
    let mut d = Describer::default();
    let mut nodes = Vec::new();
    if !query.with.is_empty() {
        nodes.push(node("with", query.with.iter().map(|n| d.collection(n)).collect()));
    }
    nodes.extend(d.body(&query.body));
    let root = node("root", nodes);
    Description { bind_vars: d.bind_vars, collections: d.collections, ast: Value::array(vec![root]) }
}

#[derive(Default)]
struct Describer {
    bind_vars: Vec<SmolStr>,
    collections: Vec<SmolStr>,
    variables: Vec<SmolStr>,
}

fn node(kind: &str, children: Vec<Value>) -> Value {
    Value::from_pairs([("type", Value::from(kind)), ("subNodes", Value::array(children))])
}

fn named(kind: &str, name: &str) -> Value {
    Value::from_pairs([("type", Value::from(kind)), ("name", Value::from(name))])
}

fn named_node(kind: &str, name: &str, children: Vec<Value>) -> Value {
    Value::from_pairs([("type", Value::from(kind)), ("name", Value::from(name)), ("subNodes", Value::array(children))])
}

fn leaf(kind: &str) -> Value {
    Value::from_pairs([("type", Value::from(kind))])
}

fn value(v: Value) -> Value {
    Value::from_pairs([("type", Value::from("value")), ("value", v)])
}

fn note(list: &mut Vec<SmolStr>, name: &str) {
    if !list.iter().any(|n| n == name) {
        list.push(name.into());
    }
}

impl Describer {
    fn body(&mut self, body: &ast::Body) -> Vec<Value> {
        body.clauses.iter().map(|c| self.clause(c)).collect()
    }

    fn variable(&mut self, var: &Var) -> Value {
        self.variables.push(var.name.clone());
        let id = self.variables.len() - 1;
        Value::from_pairs([
            ("type", Value::from("variable")),
            ("name", Value::Str(var.name.clone())),
            ("id", Value::from(id)),
        ])
    }

    fn collection(&mut self, name: &Name) -> Value {
        match &name.kind {
            NameKind::Literal(n) => {
                note(&mut self.collections, n);
                named("collection", n)
            }
            NameKind::Bind(n) => {
                let n = format!("@{n}");
                note(&mut self.bind_vars, &n);
                named("datasource parameter", &n)
            }
            NameKind::ValueBind(n) => {
                note(&mut self.bind_vars, n);
                named("parameter", n)
            }
        }
    }

    fn option(&mut self, e: Option<&Expr>) -> Value {
        e.map_or_else(|| leaf("no-op"), |e| self.expr(e))
    }

    fn clause(&mut self, clause: &Clause) -> Value {
        match clause {
            Clause::For(f) => self.for_clause(f),
            Clause::Filter(e) => node("filter", vec![self.expr(e)]),
            Clause::Let(var, e) => {
                let e = self.expr(e);
                node("let", vec![self.variable(var), e])
            }
            Clause::Sort(items) => {
                let elements = items
                    .iter()
                    .map(|item| {
                        let direction = match &item.direction {
                            SortDirection::Asc => value(Value::Bool(true)),
                            SortDirection::Desc => value(Value::Bool(false)),
                            SortDirection::Expr(e) => self.expr(e),
                        };
                        node("sort element", vec![self.expr(&item.expr), direction])
                    })
                    .collect();
                node("sort", vec![node("array", elements)])
            }
            Clause::Limit { offset, count, .. } => {
                let offset = offset.as_ref().map_or_else(|| value(Value::Int(0)), |e| self.expr(e));
                node("limit", vec![offset, self.expr(count)])
            }
            Clause::Collect(c) => self.collect(c),
            Clause::Window(w) => {
                let mut children = vec![self.option(w.range_value.as_ref()), self.expr(&w.bounds)];
                children.push(self.assignments(&w.aggregates));
                node("window", children)
            }
            Clause::Modify(m) => {
                let kind = match m.kind {
                    ModifyKind::Insert => "insert",
                    ModifyKind::Update => "update",
                    ModifyKind::Replace => "replace",
                    ModifyKind::Remove => "remove",
                };
                let children = vec![
                    self.option(m.options.as_ref()),
                    self.collection(&m.collection),
                    self.option(m.doc.as_ref()),
                    self.option(m.key.as_ref()),
                ];
                node(kind, children)
            }
            Clause::Upsert(u) => {
                let search = match &u.search {
                    ast::UpsertSearch::Example(e) | ast::UpsertSearch::Filter(e) => self.expr(e),
                };
                let children = vec![
                    self.option(u.options.as_ref()),
                    self.collection(&u.collection),
                    search,
                    self.expr(&u.insert),
                    self.expr(&u.update),
                ];
                node("upsert", children)
            }
            Clause::Return { distinct, expr } => {
                let e = self.expr(expr);
                node("return", vec![if *distinct { node("distinct", vec![e]) } else { e }])
            }
        }
    }

    fn for_clause(&mut self, f: &ast::For) -> Value {
        match &f.source {
            ForSource::Expr(source) => {
                let source = match &source.kind {
                    ExprKind::Variable(name) if !self.variables.contains(name) => {
                        note(&mut self.collections, name);
                        named("collection", name)
                    }
                    _ => self.expr(source),
                };
                let mut children: Vec<Value> = f.vars.iter().map(|v| self.variable(v)).collect();
                children.push(source);
                children.push(self.option(f.options.as_ref()));
                node("for", children)
            }
            ForSource::Traversal(t) => {
                let mut children = vec![self.expr(&t.start), self.graph(&t.graph)];
                children.push(t.prune.as_ref().map_or_else(|| leaf("no-op"), |(_, e)| self.expr(e)));
                children.push(self.option(f.options.as_ref()));
                children.extend(f.vars.iter().map(|v| self.variable(v)));
                node("traversal", children)
            }
            ForSource::Path(p) => {
                let mut children = vec![self.expr(&p.start), self.expr(&p.target), self.graph(&p.graph)];
                children.push(self.option(f.options.as_ref()));
                children.extend(f.vars.iter().map(|v| self.variable(v)));
                node(if p.kind == ast::PathKind::Shortest { "shortest path" } else { "enumerate paths" }, children)
            }
        }
    }

    fn graph(&mut self, graph: &GraphRef) -> Value {
        match graph {
            GraphRef::Edges(list) => node("collection list", list.iter().map(|(_, n)| self.collection(n)).collect()),
            // a graph is no collection
            GraphRef::Named(name) => match &name.kind {
                NameKind::Literal(n) => value(Value::Str(n.clone())),
                _ => self.collection(name),
            },
        }
    }

    fn assignments(&mut self, list: &[(Var, Expr)]) -> Value {
        let children = list
            .iter()
            .map(|(var, e)| {
                let e = self.expr(e);
                node("assign", vec![self.variable(var), e])
            })
            .collect();
        node("array", children)
    }

    fn collect(&mut self, c: &ast::Collect) -> Value {
        let mut children =
            vec![self.option(c.options.as_ref()), self.assignments(&c.groups), self.assignments(&c.aggregates)];
        match &c.into {
            CollectInto::None => {}
            CollectInto::Count(var) => {
                children.push(self.variable(var));
                return node("collect count", children);
            }
            CollectInto::Rows { var, .. } => children.push(self.variable(var)),
            CollectInto::Expr(var, e) => {
                let e = self.expr(e);
                children.push(self.variable(var));
                children.push(e);
            }
        }
        node("collect", children)
    }

    fn exprs(&mut self, list: &[Expr]) -> Vec<Value> {
        list.iter().map(|e| self.expr(e)).collect()
    }

    fn expr(&mut self, e: &Expr) -> Value {
        match &e.kind {
            ExprKind::Null => value(Value::Null),
            ExprKind::Bool(b) => value(Value::Bool(*b)),
            ExprKind::Int(i) => value(Value::Int(*i)),
            ExprKind::Float(x) => value(Value::float(*x)),
            ExprKind::Str(s) => value(Value::Str(s.clone())),
            ExprKind::Variable(name) => match self.variables.iter().rposition(|n| n == name) {
                Some(id) => Value::from_pairs([
                    ("type", Value::from("reference")),
                    ("name", Value::Str(name.clone())),
                    ("id", Value::from(id)),
                ]),
                None if matches!(name.as_str(), "CURRENT" | "OLD" | "NEW") => named("reference", name),
                None => {
                    note(&mut self.collections, name);
                    named("collection", name)
                }
            },
            ExprKind::Bind(name) => {
                note(&mut self.bind_vars, name);
                named("parameter", name)
            }
            ExprKind::CollectionBind(name) => {
                let name = format!("@{name}");
                note(&mut self.bind_vars, &name);
                named("datasource parameter", &name)
            }
            ExprKind::Array(items) => node("array", self.exprs(items)),
            ExprKind::Object(items) => node("object", items.iter().map(|i| self.object_item(i)).collect()),
            ExprKind::Range(a, b) => node("range", vec![self.expr(a), self.expr(b)]),
            ExprKind::Attribute(base, name) => named_node("attribute access", name, vec![self.expr(base)]),
            ExprKind::BoundAttribute(base, name) => {
                note(&mut self.bind_vars, name);
                node("bound attribute access", vec![self.expr(base), named("parameter", name)])
            }
            ExprKind::Index(a, b) => node("indexed access", vec![self.expr(a), self.expr(b)]),
            ExprKind::Expansion(x) => {
                let mut children = vec![self.expr(&x.base), self.option(x.filter.as_ref())];
                if let Some((offset, count)) = &x.limit {
                    let offset = self.option(offset.as_ref());
                    children.push(node("array limit", vec![offset, self.expr(count)]));
                }
                children.push(self.option(x.projection.as_ref()));
                node("expansion", children)
            }
            ExprKind::ArrayQuestion(q) => {
                let children = vec![self.expr(&q.base), self.option(q.filter.as_ref())];
                node("array filter", children)
            }
            ExprKind::Call(name, args) => named_node("function call", name, vec![node("array", self.exprs(args))]),
            ExprKind::Unary(op, e) => {
                let kind = match op {
                    UnaryOp::Minus => "unary minus",
                    UnaryOp::Plus => "unary plus",
                    UnaryOp::Not => "unary not",
                };
                node(kind, vec![self.expr(e)])
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::ArrayCompare { op, left, right, .. } => {
                node(&format!("array {}", operator(*op)), vec![self.expr(left), self.expr(right)])
            }
            ExprKind::Ternary(c, a, b) => {
                let mut children = vec![self.expr(c)];
                children.extend(a.as_ref().map(|a| self.expr(a)));
                children.push(self.expr(b));
                node("ternary", children)
            }
            ExprKind::Subquery(body) => {
                let depth = self.variables.len();
                let children = self.body(body);
                self.variables.truncate(depth);
                node("sub-query", children)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Value {
        let children = Value::array(vec![self.expr(a), self.expr(b)]);
        let mut pairs = vec![("type", Value::from(operator(op)))];
        if matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::In
        ) {
            pairs.push(("excludesNull", Value::Bool(false)));
        }
        pairs.push(("subNodes", children));
        Value::from_pairs(pairs)
    }

    fn object_item(&mut self, item: &ObjectItem) -> Value {
        match item {
            ObjectItem::Named(name, e) => named_node("object element", name, vec![self.expr(e)]),
            ObjectItem::Computed(k, e) => node("calculated object element", vec![self.expr(k), self.expr(e)]),
            ObjectItem::BoundName(name, e) => {
                note(&mut self.bind_vars, name);
                node("calculated object element", vec![named("parameter", name), self.expr(e)])
            }
            ObjectItem::Shorthand(name, pos) => {
                let reference = self.expr(&Expr { kind: ExprKind::Variable(name.clone()), pos: *pos });
                named_node("object element", name, vec![reference])
            }
            ObjectItem::Spread(e) => node("object spread", vec![self.expr(e)]),
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "logical or",
        BinaryOp::And => "logical and",
        BinaryOp::Eq => "compare ==",
        BinaryOp::Ne => "compare !=",
        BinaryOp::Lt => "compare <",
        BinaryOp::Le => "compare <=",
        BinaryOp::Gt => "compare >",
        BinaryOp::Ge => "compare >=",
        BinaryOp::In => "compare in",
        BinaryOp::NotIn => "compare not in",
        BinaryOp::Like => "like",
        BinaryOp::NotLike => "not like",
        BinaryOp::RegexMatch => "regex match",
        BinaryOp::RegexNotMatch => "regex not match",
        BinaryOp::Add => "plus",
        BinaryOp::Sub => "minus",
        BinaryOp::Mul => "times",
        BinaryOp::Div => "division",
        BinaryOp::Mod => "modulus",
    }
}
