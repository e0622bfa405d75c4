//! The syntax tree of a query in ArangoDB's shape, with the collections and parameters met on the way.

use crate::error::{Error, code};
use crate::functions;
use crate::lang::ast::*;
use crate::value::{Object, SmolStr, Value};
use crate::{Result, lang};

/// What `POST /_api/query` says about a query.
pub struct Parsed {
    /// Collections it names.
    pub collections: Vec<SmolStr>,
    /// Parameters it uses, those for collections with their at sign.
    pub bind_vars: Vec<SmolStr>,
    /// Its syntax tree.
    pub ast: Value,
}

/// What is not about the syntax is told without a word on where it came from.
fn bare(mut error: Error) -> Error {
    if error.num != code::QUERY_PARSE
        && let Some(bare) = error.message.strip_prefix("AQL: ").and_then(|m| m.strip_suffix(" (while parsing)"))
    {
        error.message = bare.to_owned();
    }
    error
}

/// Parses a query without binding it to anything.
pub fn parse(text: &str) -> Result<Parsed> {
    let query = lang::parse(text).map_err(bare)?;
    let mut tree = Tree::default();
    let mut nodes = Vec::new();
    if !query.with.is_empty() {
        let names = query.with.iter().map(|name| tree.collection(name)).collect();
        nodes.push(node("with", names));
    }
    nodes.extend(tree.clauses(&query.body)?);
    let ast = Value::array(vec![node("root", nodes)]);
    Ok(Parsed { collections: tree.collections, bind_vars: tree.bind_vars, ast })
}

#[derive(Default)]
struct Tree {
    collections: Vec<SmolStr>,
    bind_vars: Vec<SmolStr>,
    /// Variables in scope with their numbers, the innermost last.
    scope: Vec<(SmolStr, i64)>,
    variables: i64,
}

fn node(kind: &str, sub_nodes: Vec<Value>) -> Value {
    let mut node = Object::default();
    node.insert("type".into(), Value::str(kind));
    if !sub_nodes.is_empty() {
        node.insert("subNodes".into(), Value::array(sub_nodes));
    }
    Value::object(node)
}

fn named(kind: &str, name: &str, sub_nodes: Vec<Value>) -> Value {
    let mut node = Object::default();
    node.insert("type".into(), Value::str(kind));
    node.insert("name".into(), Value::str(name));
    if !sub_nodes.is_empty() {
        node.insert("subNodes".into(), Value::array(sub_nodes));
    }
    Value::object(node)
}

fn numbered(kind: &str, name: &SmolStr, id: i64) -> Value {
    Value::from_pairs([("type", Value::str(kind)), ("name", Value::Str(name.clone())), ("id", Value::Int(id))])
}

fn value(value: Value) -> Value {
    Value::from_pairs([("type", Value::str("value")), ("value", value)])
}

fn nothing() -> Value {
    node("no-op", Vec::new())
}

/// Bounds of the stack a level of recursion may use before a new piece is taken.
const RED_ZONE: usize = 64 * 1024;
const STACK: usize = 1024 * 1024;

impl Tree {
    fn note(list: &mut Vec<SmolStr>, name: SmolStr) {
        if !list.contains(&name) {
            list.push(name);
        }
    }

    fn parameter(&mut self, name: &SmolStr) -> Value {
        Self::note(&mut self.bind_vars, name.clone());
        named("parameter", name, Vec::new())
    }

    fn collection_parameter(&mut self, name: &SmolStr) -> Value {
        let name = SmolStr::from(format!("@{name}"));
        Self::note(&mut self.bind_vars, name.clone());
        named("datasource parameter", &name, Vec::new())
    }

    fn collection(&mut self, name: &Name) -> Value {
        match &name.kind {
            NameKind::Literal(text) => {
                Self::note(&mut self.collections, text.clone());
                named("collection", text, Vec::new())
            }
            NameKind::Bind(text) => self.collection_parameter(text),
            NameKind::ValueBind(text) => self.parameter(text),
        }
    }

    fn declare(&mut self, var: &Var) -> Value {
        let id = self.variables;
        self.variables += 1;
        self.scope.push((var.name.clone(), id));
        numbered("variable", &var.name, id)
    }

    /// A name is a variable where one is in scope, otherwise a collection.
    fn reference(&mut self, name: &SmolStr) -> Value {
        if let Some((name, id)) = self.scope.iter().rev().find(|(n, _)| n == name) {
            return numbered("reference", name, *id);
        }
        if matches!(name.as_str(), "CURRENT" | "OLD" | "NEW") {
            return named("reference", name, Vec::new());
        }
        Self::note(&mut self.collections, name.clone());
        named("collection", name, Vec::new())
    }

    fn clauses(&mut self, body: &Body) -> Result<Vec<Value>> {
        let depth = self.scope.len();
        let nodes = body.clauses.iter().map(|clause| self.clause(clause)).collect();
        self.scope.truncate(depth);
        nodes
    }

    fn clause(&mut self, clause: &Clause) -> Result<Value> {
        Ok(match clause {
            Clause::For(clause) => self.for_clause(clause)?,
            Clause::Filter(expr) => node("filter", vec![self.expr(expr)?]),
            Clause::Let(var, expr) => {
                let expr = self.expr(expr)?;
                node("let", vec![self.declare(var), expr])
            }
            Clause::Sort(items) => {
                let items = items.iter().map(|item| self.sort_item(item)).collect::<Result<_>>()?;
                node("sort", vec![node("array", items)])
            }
            Clause::Limit { offset, count, .. } => {
                let offset = offset.as_ref().map_or_else(|| Ok(value(Value::Int(0))), |e| self.expr(e))?;
                node("limit", vec![offset, self.expr(count)?])
            }
            Clause::Collect(collect) => self.collect(collect)?,
            Clause::Window(window) => {
                let mut parts = vec![self.optional(window.range_value.as_ref())?, self.expr(&window.bounds)?];
                parts.extend(self.assignments(&window.aggregates)?);
                node("window", parts)
            }
            Clause::Modify(modify) => self.modify(modify)?,
            Clause::Upsert(upsert) => self.upsert(upsert)?,
            Clause::Return { distinct, expr } => {
                let expr = self.expr(expr)?;
                node("return", vec![if *distinct { node("distinct", vec![expr]) } else { expr }])
            }
        })
    }

    fn for_clause(&mut self, clause: &For) -> Result<Value> {
        let kind = match &clause.source {
            ForSource::Expr(_) => "for",
            ForSource::Traversal(_) => "traversal",
            ForSource::Path(search) => match search.kind {
                PathKind::Shortest => "shortest path",
                PathKind::KShortest | PathKind::KPaths | PathKind::AllShortest => "k-shortest paths",
            },
        };
        let source = match &clause.source {
            ForSource::Expr(expr) => vec![self.expr(expr)?],
            ForSource::Traversal(traversal) => {
                let mut parts = self.depth(traversal.depth.as_ref())?;
                parts.push(self.expr(&traversal.start)?);
                parts.push(self.graph(&traversal.graph));
                parts
            }
            ForSource::Path(search) => {
                let mut parts = self.depth(search.depth.as_ref())?;
                parts.push(self.expr(&search.start)?);
                parts.push(self.expr(&search.target)?);
                parts.push(self.graph(&search.graph));
                parts
            }
        };
        let mut parts: Vec<Value> = clause.vars.iter().map(|var| self.declare(var)).collect();
        parts.extend(source);
        // the condition of PRUNE sees the variables of its own walk
        if let ForSource::Traversal(Traversal { prune: Some((var, condition)), .. }) = &clause.source {
            parts.extend(var.as_ref().map(|var| self.declare(var)));
            parts.push(self.expr(condition)?);
        }
        parts.extend(clause.search.as_ref().map(|search| self.expr(search)).transpose()?);
        parts.push(self.optional(clause.options.as_ref())?);
        Ok(node(kind, parts))
    }

    fn depth(&mut self, depth: Option<&(Expr, Expr)>) -> Result<Vec<Value>> {
        match depth {
            None => Ok(vec![value(Value::Int(1))]),
            Some((min, max)) => Ok(vec![node("range", vec![self.expr(min)?, self.expr(max)?])]),
        }
    }

    fn graph(&mut self, graph: &GraphRef) -> Value {
        match graph {
            GraphRef::Named(Name { kind: NameKind::Literal(name), .. }) => value(Value::Str(name.clone())),
            GraphRef::Named(name) => self.collection(name),
            GraphRef::Edges(edges) => {
                let names = edges.iter().map(|(_, name)| self.collection(name)).collect();
                node("collection list", names)
            }
        }
    }

    fn sort_item(&mut self, item: &SortItem) -> Result<Value> {
        let direction = match &item.direction {
            SortDirection::Asc => value(Value::Bool(true)),
            SortDirection::Desc => value(Value::Bool(false)),
            SortDirection::Expr(expr) => self.expr(expr)?,
        };
        Ok(node("sort element", vec![self.expr(&item.expr)?, direction]))
    }

    fn assignments(&mut self, assignments: &[(Var, Expr)]) -> Result<Vec<Value>> {
        let values: Vec<Value> = assignments.iter().map(|(_, expr)| self.expr(expr)).collect::<Result<_>>()?;
        let assigned = assignments.iter().zip(values);
        Ok(assigned.map(|((var, _), value)| node("assign", vec![self.declare(var), value])).collect())
    }

    fn collect(&mut self, collect: &Collect) -> Result<Value> {
        let groups = node("array", self.assignments(&collect.groups)?);
        let aggregates = node("aggregations", self.assignments(&collect.aggregates)?);
        let mut parts = vec![self.optional(collect.options.as_ref())?, groups, aggregates];
        let kind = match &collect.into {
            CollectInto::None => "collect",
            CollectInto::Count(var) => {
                parts.push(self.declare(var));
                "collect with count"
            }
            CollectInto::Rows { var, keep } => {
                let kept: Vec<Value> = keep.iter().map(|kept| self.reference(&kept.name)).collect();
                parts.push(self.declare(var));
                parts.extend(kept);
                "collect"
            }
            CollectInto::Expr(var, expr) => {
                let expr = self.expr(expr)?;
                parts.push(self.declare(var));
                parts.push(expr);
                "collect expression"
            }
        };
        Ok(node(kind, parts))
    }

    fn modify(&mut self, modify: &Modify) -> Result<Value> {
        let kind = match modify.kind {
            ModifyKind::Insert => "insert",
            ModifyKind::Update => "update",
            ModifyKind::Replace => "replace",
            ModifyKind::Remove => "remove",
        };
        let mut parts = vec![self.optional(modify.options.as_ref())?, self.collection(&modify.collection)];
        for expr in modify.doc.iter().chain(&modify.key) {
            parts.push(self.expr(expr)?);
        }
        Ok(node(kind, parts))
    }

    fn upsert(&mut self, upsert: &Upsert) -> Result<Value> {
        let (UpsertSearch::Example(search) | UpsertSearch::Filter(search)) = &upsert.search;
        let parts = vec![
            self.optional(upsert.options.as_ref())?,
            self.collection(&upsert.collection),
            self.expr(search)?,
            self.expr(&upsert.insert)?,
            self.expr(&upsert.update)?,
        ];
        Ok(node("upsert", parts))
    }

    fn optional(&mut self, expr: Option<&Expr>) -> Result<Value> {
        expr.map_or_else(|| Ok(nothing()), |expr| self.expr(expr))
    }

    /// Queries may be nested deeper than the thread's stack is long.
    fn expr(&mut self, expr: &Expr) -> Result<Value> {
        stacker::maybe_grow(RED_ZONE, STACK, || self.expr_inner(expr))
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> Result<Vec<Value>> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr_inner(&mut self, expr: &Expr) -> Result<Value> {
        Ok(match &expr.kind {
            ExprKind::Null => value(Value::Null),
            ExprKind::Bool(b) => value(Value::Bool(*b)),
            ExprKind::Int(i) => value(Value::Int(*i)),
            ExprKind::Float(f) => value(Value::float(*f)),
            ExprKind::Str(s) => value(Value::Str(s.clone())),
            ExprKind::Variable(name) => self.reference(name),
            ExprKind::Bind(name) => self.parameter(name),
            ExprKind::CollectionBind(name) => self.collection_parameter(name),
            ExprKind::Array(items) => node("array", self.exprs(items)?),
            ExprKind::Object(items) => {
                node("object", items.iter().map(|item| self.object_item(item)).collect::<Result<_>>()?)
            }
            ExprKind::Range(low, high) => node("range", self.exprs([&**low, high])?),
            ExprKind::Attribute(base, name) => named("attribute access", name, vec![self.expr(base)?]),
            ExprKind::BoundAttribute(base, name) => {
                let base = self.expr(base)?;
                node("bound attribute access", vec![base, self.parameter(name)])
            }
            ExprKind::Index(base, index) => node("indexed access", self.exprs([&**base, index])?),
            ExprKind::Expansion(expansion) => self.expansion(expansion)?,
            ExprKind::ArrayQuestion(question) => {
                let parts = [Some(&question.base), question.filter.as_ref()];
                let mut parts = self.exprs(parts.into_iter().flatten())?;
                parts.extend(question.quantifier.as_ref().map(|q| self.quantifier(q)).transpose()?);
                node("array filter", parts)
            }
            ExprKind::Call(name, args) => {
                if !name.contains("::") && functions::lookup(name).is_none() {
                    return Err(functions::unknown_function(name));
                }
                named("function call", name, vec![node("array", self.exprs(args)?)])
            }
            ExprKind::Unary(op, operand) => node(unary(*op), vec![self.expr(operand)?]),
            ExprKind::Binary(op, left, right) => self.binary(binary(*op), *op, left, right)?,
            ExprKind::ArrayCompare { quantifier, op, left, right } => {
                let quantifier = self.quantifier(quantifier)?;
                let mut parts = self.exprs([&**left, right])?;
                parts.push(quantifier);
                node(&format!("array {}", binary(*op)), parts)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let parts = [Some(&**condition), then.as_deref(), Some(&**otherwise)];
                node("ternary", self.exprs(parts.into_iter().flatten())?)
            }
            ExprKind::Subquery(body) => node("subquery", self.clauses(body)?),
        })
    }

    fn object_item(&mut self, item: &ObjectItem) -> Result<Value> {
        Ok(match item {
            ObjectItem::Named(name, expr) => named("object element", name, vec![self.expr(expr)?]),
            ObjectItem::Computed(name, expr) => node("calculated object element", self.exprs([name, expr])?),
            ObjectItem::BoundName(name, expr) => {
                let name = self.parameter(name);
                node("calculated object element", vec![name, self.expr(expr)?])
            }
            ObjectItem::Shorthand(name, _) => named("object element", name, vec![self.reference(name)]),
            ObjectItem::Spread(expr) => node("object spread", vec![self.expr(expr)?]),
        })
    }

    fn expansion(&mut self, expansion: &Expansion) -> Result<Value> {
        let mut parts = vec![self.expr(&expansion.base)?];
        parts.push(self.optional(expansion.filter.as_ref())?);
        parts.push(match &expansion.limit {
            None => nothing(),
            Some((offset, count)) => {
                let limit = [offset.as_ref(), Some(count)];
                node("array limit", self.exprs(limit.into_iter().flatten())?)
            }
        });
        parts.push(self.optional(expansion.projection.as_ref())?);
        Ok(node("expansion", parts))
    }

    fn quantifier(&mut self, quantifier: &Quantifier) -> Result<Value> {
        let (name, bounds): (&str, Vec<&Expr>) = match quantifier {
            Quantifier::Any => ("any", vec![]),
            Quantifier::All => ("all", vec![]),
            Quantifier::None => ("none", vec![]),
            Quantifier::AtLeast(n) => ("at least", vec![n]),
            Quantifier::Exactly(n) => ("exactly", vec![n]),
            Quantifier::Between(low, high) => ("between", vec![low, high]),
        };
        let bounds = self.exprs(bounds)?;
        let mut node = named("quantifier", name, bounds).to_object().unwrap_or_default();
        node.insert("quantifier".into(), Value::str(name));
        Ok(Value::object(node))
    }

    fn binary(&mut self, kind: &str, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value> {
        let parts = self.exprs([left, right])?;
        let mut node = node(kind, parts).to_object().unwrap_or_default();
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            node.insert("excludesNull".into(), Value::Bool(false));
        }
        Ok(Value::object(node))
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Minus => "unary minus",
        UnaryOp::Plus => "unary plus",
        UnaryOp::Not => "unary not",
    }
}

fn binary(op: BinaryOp) -> &'static str {
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
        BinaryOp::Like => "compare like",
        BinaryOp::NotLike => "compare not like",
        BinaryOp::RegexMatch => "compare matches",
        BinaryOp::RegexNotMatch => "compare not matches",
        BinaryOp::Add => "plus",
        BinaryOp::Sub => "minus",
        BinaryOp::Mul => "times",
        BinaryOp::Div => "division",
        BinaryOp::Mod => "modulus",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[SmolStr]) -> Vec<&str> {
        list.iter().map(SmolStr::as_str).collect()
    }

    #[test]
    fn a_name_without_a_variable_of_that_name_is_a_collection() {
        let parsed = parse("FOR d IN c LET x = d.v RETURN [x, e]").expect("parsed");
        assert_eq!(names(&parsed.collections), ["c", "e"]);
    }

    #[test]
    fn parameters_are_listed_once_and_those_of_collections_with_their_at_sign() {
        let parsed = parse("FOR d IN @@c FILTER d.a == @v || d.b == @v INSERT @doc INTO @@c").expect("parsed");
        assert_eq!(names(&parsed.bind_vars), ["@c", "v", "doc"]);
    }

    #[test]
    fn the_tree_has_the_shape_of_arangodb() {
        let parsed = parse("RETURN 1 + @x").expect("parsed");
        let expected = "[{\"type\":\"root\",\"subNodes\":[{\"type\":\"return\",\"subNodes\":[{\"type\":\"plus\",\"subNodes\":\
                        [{\"type\":\"value\",\"value\":1},{\"type\":\"parameter\",\"name\":\"x\"}]}]}]}]";
        assert_eq!(parsed.ast.to_json(), expected);
    }
}
