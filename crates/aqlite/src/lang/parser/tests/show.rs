//! Trees as short text, so that a test shows the whole structure at a glance.

use crate::lang::ast::*;

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn quantifier(quantifier: &Quantifier) -> String {
    match quantifier {
        Quantifier::Any => "ANY".into(),
        Quantifier::All => "ALL".into(),
        Quantifier::None => "NONE".into(),
        Quantifier::AtLeast(count) => format!("AT LEAST {}", show(count)),
        Quantifier::Exactly(count) => show(count),
        Quantifier::Between(least, most) => format!("{}..{}", show(least), show(most)),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "OR",
        BinaryOp::And => "AND",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "IN",
        BinaryOp::NotIn => "NOT IN",
        BinaryOp::Like => "LIKE",
        BinaryOp::NotLike => "NOT LIKE",
        BinaryOp::RegexMatch => "=~",
        BinaryOp::RegexNotMatch => "!~",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
    }
}

fn item(item: &ObjectItem) -> String {
    match item {
        ObjectItem::Named(name, value) => format!("{name}: {}", show(value)),
        ObjectItem::Computed(name, value) => format!("[{}]: {}", show(name), show(value)),
        ObjectItem::BoundName(name, value) => format!("@{name}: {}", show(value)),
        ObjectItem::Shorthand(name, _) => name.to_string(),
        ObjectItem::Spread(value) => format!("...{}", show(value)),
    }
}

fn expansion(expansion: &Expansion) -> String {
    let mut text = format!("{}[{}", show(&expansion.base), "*".repeat(expansion.levels as usize));
    if let Some(filter) = &expansion.filter {
        text.extend([format!(" FILTER {}", show(filter))]);
    }
    if let Some((offset, count)) = &expansion.limit {
        let offset = offset.as_ref().map_or(String::new(), |offset| format!("{}, ", show(offset)));
        text.extend([format!(" LIMIT {offset}{}", show(count))]);
    }
    if let Some(projection) = &expansion.projection {
        text.extend([format!(" RETURN {}", show(projection))]);
    }
    text + "]"
}

pub(super) fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Null => "null".into(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Str(value) => format!("{value:?}"),
        ExprKind::Variable(name) => name.to_string(),
        ExprKind::Bind(name) => format!("@{name}"),
        ExprKind::CollectionBind(name) => format!("@@{name}"),
        ExprKind::Array(items) => format!("[{}]", list(items, show)),
        ExprKind::Object(items) => format!("{{{}}}", list(items, item)),
        ExprKind::Range(least, most) => format!("({} .. {})", show(least), show(most)),
        ExprKind::Attribute(base, name) => format!("{}.{name}", show(base)),
        ExprKind::BoundAttribute(base, name) => format!("{}.@{name}", show(base)),
        ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        ExprKind::Expansion(inner) => expansion(inner),
        ExprKind::ArrayQuestion(question) => {
            let count = question.quantifier.as_ref().map_or(String::new(), |count| format!(" {}", quantifier(count)));
            let filter = question.filter.as_ref().map_or(String::new(), |filter| format!(" FILTER {}", show(filter)));
            format!("{}[?{count}{filter}]", show(&question.base))
        }
        ExprKind::Call(name, arguments) => format!("{name}({})", list(arguments, show)),
        ExprKind::Unary(op, operand) => {
            let op = match op {
                UnaryOp::Minus => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "NOT ",
            };
            format!("({op}{})", show(operand))
        }
        ExprKind::Binary(op, left, right) => format!("({} {} {})", show(left), binary(*op), show(right)),
        ExprKind::ArrayCompare { quantifier: count, op, left, right } => {
            format!("({} {} {} {})", show(left), quantifier(count), binary(*op), show(right))
        }
        ExprKind::Ternary(cond, then, otherwise) => {
            let then = then.as_ref().map_or(String::new(), |then| format!(" {} ", show(then)));
            format!("({} ?{then}: {})", show(cond), show(otherwise))
        }
        ExprKind::Subquery(body) => format!("({})", show_body(body)),
    }
}

fn name(name: &Name) -> String {
    match &name.kind {
        NameKind::Literal(name) => name.to_string(),
        NameKind::Bind(name) => format!("@@{name}"),
        NameKind::ValueBind(name) => format!("@{name}"),
    }
}

fn vars(vars: &[Var]) -> String {
    list(vars, |var| var.name.to_string())
}

fn assignments(items: &[(Var, Expr)]) -> String {
    list(items, |(var, value)| format!("{} = {}", var.name, show(value)))
}

fn optional(word: &str, value: Option<&Expr>) -> String {
    value.map_or(String::new(), |value| format!(" {word} {}", show(value)))
}

fn graph(graph: &GraphRef) -> String {
    match graph {
        GraphRef::Named(graph) => format!("GRAPH {}", name(graph)),
        GraphRef::Edges(edges) => list(edges, |(direction, edges)| {
            direction.map_or(String::new(), |direction| format!("{direction:?} ")) + &name(edges)
        }),
    }
}

fn depth(depth: Option<&(Expr, Expr)>) -> String {
    depth.map_or(String::new(), |(least, most)| format!("{}..{} ", show(least), show(most)))
}

fn source(source: &ForSource) -> String {
    match source {
        ForSource::Expr(source) => show(source),
        ForSource::Traversal(walk) => {
            let prune = walk.prune.as_ref().map_or(String::new(), |(var, cond)| {
                let var = var.as_ref().map_or(String::new(), |var| format!("{} = ", var.name));
                format!(" PRUNE {var}{}", show(cond))
            });
            let (depth, graph) = (depth(walk.depth.as_ref()), graph(&walk.graph));
            format!("{depth}{:?} {} {graph}{prune}", walk.direction, show(&walk.start))
        }
        ForSource::Path(path) => {
            let (depth, graph) = (depth(path.depth.as_ref()), graph(&path.graph));
            let (start, target) = (show(&path.start), show(&path.target));
            format!("{depth}{:?} {:?} {start} TO {target} {graph}", path.direction, path.kind)
        }
    }
}

fn collect(collect: &Collect) -> String {
    let mut text = String::from("COLLECT");
    if !collect.groups.is_empty() {
        text.extend([format!(" {}", assignments(&collect.groups))]);
    }
    if !collect.aggregates.is_empty() {
        text.extend([format!(" AGGREGATE {}", assignments(&collect.aggregates))]);
    }
    match &collect.into {
        CollectInto::None => {}
        CollectInto::Count(var) => text.extend([format!(" WITH COUNT INTO {}", var.name)]),
        CollectInto::Rows { var, keep } => {
            text.extend([format!(" INTO {}", var.name)]);
            if !keep.is_empty() {
                text.extend([format!(" KEEP {}", vars(keep))]);
            }
        }
        CollectInto::Expr(var, expr) => text.extend([format!(" INTO {} = {}", var.name, show(expr))]),
    }
    text + &optional("OPTIONS", collect.options.as_ref())
}

fn modify(modify: &Modify) -> String {
    let mut text = format!("{:?}", modify.kind);
    text += &optional("KEY", modify.key.as_ref());
    text += &optional("DOC", modify.doc.as_ref());
    text + " INTO " + &name(&modify.collection) + &optional("OPTIONS", modify.options.as_ref())
}

fn upsert(upsert: &Upsert) -> String {
    let search = match &upsert.search {
        UpsertSearch::Example(example) => show(example),
        UpsertSearch::Filter(filter) => format!("FILTER {}", show(filter)),
    };
    let word = if upsert.replace { "REPLACE" } else { "UPDATE" };
    let (insert, update, target) = (show(&upsert.insert), show(&upsert.update), name(&upsert.collection));
    let options = optional("OPTIONS", upsert.options.as_ref());
    format!("UPSERT {search} INSERT {insert} {word} {update} INTO {target}{options}")
}

fn clause(clause: &Clause) -> String {
    match clause {
        Clause::For(each) => {
            let (search, options) =
                (optional("SEARCH", each.search.as_ref()), optional("OPTIONS", each.options.as_ref()));
            format!("FOR {} IN {}{search}{options}", vars(&each.vars), source(&each.source))
        }
        Clause::Filter(expr) => format!("FILTER {}", show(expr)),
        Clause::Let(var, expr) => format!("LET {} = {}", var.name, show(expr)),
        Clause::Sort(items) => format!(
            "SORT {}",
            list(items, |item| match &item.direction {
                SortDirection::Asc => show(&item.expr),
                SortDirection::Desc => format!("{} DESC", show(&item.expr)),
                SortDirection::Expr(direction) => format!("{} BY {}", show(&item.expr), show(direction)),
            })
        ),
        Clause::Limit { offset, count, .. } => {
            let offset = offset.as_ref().map_or(String::new(), |offset| format!("{}, ", show(offset)));
            format!("LIMIT {offset}{}", show(count))
        }
        Clause::Collect(inner) => collect(inner),
        Clause::Window(window) => {
            let range = window.range_value.as_ref().map_or(String::new(), |range| format!("{} WITH ", show(range)));
            format!("WINDOW {range}{} AGGREGATE {}", show(&window.bounds), assignments(&window.aggregates))
        }
        Clause::Modify(inner) => modify(inner),
        Clause::Upsert(inner) => upsert(inner),
        Clause::Return { distinct, expr } => {
            format!("RETURN {}{}", if *distinct { "DISTINCT " } else { "" }, show(expr))
        }
    }
}

pub(super) fn show_body(body: &Body) -> String {
    body.clauses.iter().map(clause).collect::<Vec<_>>().join("; ")
}
