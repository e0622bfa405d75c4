//! What a server refuses or does otherwise in a query that changes something: nothing is read that the query has written, rows
//! come in no order, and revisions are the database's.

use std::collections::HashMap;

use super::Finding;
use super::collections::{WRITES, is_member, target, with_length};
use super::header::Header;
use super::loops::{is_clause, loops};
use super::model::COLLECTIONS;
use super::tokens::{Kind, Token};

/// Words that say of rows that their order means nothing.
const ANY_ORDER: &str = "in any order";

/// Holds a query that changes something to what servers and clusters do.
pub fn check(header: &Header, tokens: &[Token], wrong: &mut Vec<Finding>) {
    let statements: HashMap<usize, (usize, &str)> = (0..tokens.len())
        .filter(|place| tokens[*place].word().is_some_and(|word| WRITES.contains(&word)) && !is_member(tokens, *place))
        .filter_map(|place| target(&tokens[place..]).map(|(offset, name)| (place + offset, (place, name))))
        .collect();
    if statements.is_empty() {
        return;
    }
    check_reads(&statements, tokens, wrong);
    check_order(&statements, header, tokens, wrong);
    for (end, (begin, _)) in &statements {
        let written = tokens[*begin..*end].windows(2);
        for pair in written.filter(|pair| pair[0].is("_rev") && pair[1].is_sign(':')) {
            wrong.push(Finding::new(pair[0].line, "revisions are made by the database".to_owned()));
        }
    }
}

/// Error 1579 of a server: in the order of the text nothing reads a collection that was written, no traversal and no
/// `DOCUMENT()` follows on any write, and a subquery does not write what was read around it.
fn check_reads(statements: &HashMap<usize, (usize, &str)>, tokens: &[Token], wrong: &mut Vec<Finding>) {
    let traversals: Vec<usize> = loops(tokens).iter().filter_map(|found| found.direction(tokens)).collect();
    let (mut written, mut first_seen) = (Vec::new(), HashMap::new());
    let mut brackets = Vec::new();
    for (place, token) in tokens.iter().enumerate().skip(with_length(tokens)) {
        let next = tokens.get(place + 1);
        if token.is_sign('(') {
            brackets.push(next.is_some_and(|next| is_clause(*next)));
        } else if token.is_sign(')') {
            brackets.pop();
        }
        let level = brackets.iter().filter(|is_subquery| **is_subquery).count();
        let calls = token.is("DOCUMENT") && next.is_some_and(|next| next.is_sign('('));
        if !written.is_empty() && (calls || traversals.contains(&place)) {
            let what = if calls { "DOCUMENT()" } else { "a traversal" };
            wrong.push(Finding::new(token.line, format!("{what} after a change is error 1579")));
        }
        let Some(name) = collection(tokens, place) else { continue };
        let is_written = statements.contains_key(&place);
        if written.contains(&name) {
            wrong.push(Finding::new(token.line, format!("{name} is used after it was changed, which is error 1579")));
        } else if is_written && first_seen.get(name).is_some_and(|first| *first < level) {
            let text = format!("{name} is changed in a subquery and was used before it, which is error 1579");
            wrong.push(Finding::new(token.line, text));
        }
        first_seen.entry(name).or_insert(level);
        if is_written {
            written.push(name);
        }
    }
}

/// The collection that the token at a place names.
fn collection<'a>(tokens: &[Token<'a>], place: usize) -> Option<&'a str> {
    match tokens[place].kind {
        Kind::Word(word) if COLLECTIONS.contains(&word) && !is_member(tokens, place) => Some(word),
        Kind::Param(name) if name.starts_with('@') => Some(name),
        _ => None,
    }
}

/// What is changed for each of a list comes back as the shards answer: the header says that nobody counts on the list's order.
fn check_order(
    statements: &HashMap<usize, (usize, &str)>,
    header: &Header,
    tokens: &[Token],
    wrong: &mut Vec<Finding>,
) {
    let is_list =
        |source: &[Token]| matches!(source, [one] if matches!(one.kind, Kind::Param(name) if !name.starts_with('@')));
    let lists: Vec<usize> =
        loops(tokens).iter().filter(|found| is_list(&tokens[found.source.clone()])).map(|found| found.at).collect();
    let gives_rows = |from: usize| {
        let rest = &tokens[from..];
        let returned = rest.iter().skip_while(|token| !token.is("RETURN"));
        returned.into_iter().any(|token| token.is("NEW") || token.is("OLD"))
    };
    let in_list = |begin: usize| lists.iter().any(|at| *at < begin);
    let is_ordered = statements.iter().any(|(end, (begin, _))| in_list(*begin) && gives_rows(*end));
    if is_ordered && !header.row.contains(ANY_ORDER) {
        let text = format!(
            "a cluster gives the rows of a changed list {ANY_ORDER}: `Row` says so, and how they are told apart"
        );
        wrong.push(Finding::new(1, text));
    }
}
