//! Which collections a query names, and whether its header and its `WITH` name them too.

use std::collections::BTreeSet;

use super::Finding;
use super::header::{Header, Named};
use super::loops::{DIRECTIONS, Loop, depth_behind, is_clause, loops};
use super::model::{COLLECTIONS, EDGES, VIEWS, is_edge};
use super::tokens::{Kind, Token};

/// Statements that change a collection, which stands behind their `IN` or `INTO`.
pub const WRITES: [&str; 5] = ["INSERT", "UPDATE", "REPLACE", "REMOVE", "UPSERT"];

/// Holds the text of a query to the collections its header declares.
pub fn check(header: &Header, tokens: &[Token], wrong: &mut Vec<Finding>) {
    let declared: BTreeSet<&str> = names(&header.reads).chain(names(&header.writes)).collect();
    for (name, line) in header.reads.iter().chain(&header.writes) {
        if !name.starts_with('@') && !COLLECTIONS.contains(&name.as_str()) {
            wrong.push(Finding::new(*line, format!("{name} is no collection")));
        }
    }
    let named = named(tokens);
    for (name, line) in &named {
        if !declared.contains(name.as_str()) {
            wrong.push(Finding::new(*line, format!("{name} stands neither under `Reads` nor under `Writes`")));
        }
    }
    for (name, line) in &header.reads {
        if !named.iter().any(|(known, _)| known == name) {
            wrong.push(Finding::new(*line, format!("{name} is declared under `Reads` and not read")));
        }
    }
    check_writes(header, tokens, wrong);
    check_with(tokens, wrong);
    check_searches(tokens, wrong);
}

fn names(declared: &[Named]) -> impl Iterator<Item = &str> {
    declared.iter().map(|(name, _)| name.as_str())
}

/// The collections that the text names, each where it does so first: as a word that is no attribute, as a bound collection,
/// by a view over it, or in the identifier that `DOCUMENT()` is given.
fn named(tokens: &[Token]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut add = |name: &str, line| {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name.to_owned(), line));
        }
    };
    for (place, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Word(word) if !is_member(tokens, place) => {
                let viewed = VIEWS.iter().find(|view| view.name == word).map(|view| view.collection);
                if let Some(name) = viewed.or_else(|| COLLECTIONS.contains(&word).then_some(word)) {
                    add(name, token.line);
                }
            }
            Kind::Param(name) if name.starts_with('@') => add(name, token.line),
            _ => {}
        }
    }
    for (name, line) in looked_up(tokens) {
        add(name, line);
    }
    found
}

/// Whether the word at a place is an attribute: `a.word`, `{ word: 1 }`.
pub fn is_member(tokens: &[Token], place: usize) -> bool {
    let sign = |place: Option<usize>, sign| place.and_then(|place| tokens.get(place)).is_some_and(|t| t.is_sign(sign));
    let is_attribute = sign(place.checked_sub(1), '.') && !sign(place.checked_sub(2), '.');
    is_attribute || sign(Some(place + 1), ':')
}

/// The collections of identifiers in calls of `DOCUMENT()`: `DOCUMENT("Config/logo")`, `DOCUMENT(CONCAT("Serial/", key))`.
fn looked_up<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize)> {
    let calls = (1..tokens.len()).filter(|place| tokens[place - 1].is("DOCUMENT") && tokens[*place].is_sign('('));
    calls.flat_map(|open| identified(&tokens[open..])).collect()
}

/// The collections of identifiers up to the end of the bracket that opens first, or to the end.
fn identified<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize)> {
    let mut depth = 0;
    let inside = tokens.iter().take_while(|token| {
        depth = depth_behind(depth, **token);
        depth > 0
    });
    let texts =
        inside.filter_map(|token| if let Kind::Text(text) = token.kind { Some((text, token.line)) } else { None });
    let collections = texts.filter_map(|(text, line)| Some((text.split_once('/')?.0, line)));
    collections.filter(|(name, _)| COLLECTIONS.contains(name)).collect()
}

/// What is written is declared as written, and the other way round.
fn check_writes(header: &Header, tokens: &[Token], wrong: &mut Vec<Finding>) {
    let mut written = BTreeSet::new();
    for place in 0..tokens.len() {
        if !tokens[place].word().is_some_and(|word| WRITES.contains(&word)) || is_member(tokens, place) {
            continue;
        }
        let line = tokens[place].line;
        match target(&tokens[place..]) {
            Some((_, name)) => {
                if !names(&header.writes).any(|declared| declared == name) {
                    wrong.push(Finding::new(line, format!("{name} is written and does not stand under `Writes`")));
                }
                written.insert(name);
            }
            None => wrong.push(Finding::new(line, "what is written names its collection".to_owned())),
        }
    }
    for (name, line) in &header.writes {
        if !written.contains(name.as_str()) {
            wrong.push(Finding::new(*line, format!("{name} is declared under `Writes` and not written")));
        }
    }
}

/// The place and the name of the collection of a statement that writes.
pub fn target<'a>(statement: &[Token<'a>]) -> Option<(usize, &'a str)> {
    let mut depth = 0;
    let into = statement.iter().position(|token| {
        depth = depth_behind(depth, *token);
        depth == 0 && (token.is("IN") || token.is("INTO"))
    })?;
    match statement.get(into + 1)?.kind {
        Kind::Word(name) if COLLECTIONS.contains(&name) => Some((into + 1, name)),
        Kind::Param(name) if name.starts_with('@') => Some((into + 1, name)),
        _ => None,
    }
}

/// A cluster locks what `WITH` names before a query runs: the collections that traversals and `DOCUMENT()` meet while it
/// does are unknown to it otherwise.
fn check_with(tokens: &[Token], wrong: &mut Vec<Finding>) {
    let with: BTreeSet<&str> = with(tokens).collect();
    let mut missing = |name: &str, line, what: &str| {
        if !with.contains(name) {
            wrong.push(Finding::new(line, format!("{what} can meet {name}, which `WITH` does not name")));
        }
    };
    for (name, line) in looked_up(tokens) {
        missing(name, line, "`DOCUMENT()`");
    }
    let mut unknown = Vec::new();
    let calls = tokens.windows(2).filter(|pair| pair[0].is("DOCUMENT") && pair[1].is_sign('('));
    if let Some(call) = calls.into_iter().next().filter(|_| with.is_empty() && looked_up(tokens).is_empty()) {
        let text = "`WITH` names the collections that `DOCUMENT()` can meet".to_owned();
        unknown.push(Finding::new(call[0].line, text));
    }
    for found in loops(tokens) {
        let line = tokens[found.at].line;
        match found.direction(tokens) {
            Some(direction) => match met(&found, direction, tokens) {
                Ok(names) => names.into_iter().for_each(|name| missing(name, line, "the traversal")),
                Err(text) => unknown.push(Finding::new(line, text)),
            },
            None => unknown.extend(unknown_source(&found, tokens).map(|text| Finding::new(line, text))),
        }
    }
    wrong.append(&mut unknown);
}

/// A view finds nothing by an attribute that it does not have, and says nothing about it: `SEARCH` names none but its own.
fn check_searches(tokens: &[Token], wrong: &mut Vec<Finding>) {
    for found in loops(tokens) {
        let [source] = &tokens[found.source.clone()] else { continue };
        let Some(view) = VIEWS.iter().find(|view| source.is(view.name)) else { continue };
        let Some(variable) = tokens.get(found.at + 1).and_then(Token::word) else { continue };
        let condition = tokens[found.source.end..].iter().skip(1).take_while(|token| !is_clause(**token));
        let words: Vec<Token> = condition.copied().collect();
        for member in words.windows(3).filter(|words| words[0].is(variable) && words[1].is_sign('.')) {
            if let Some(name) = member[2].word().filter(|name| !view.fields.contains(name)) {
                wrong.push(Finding::new(member[2].line, format!("{name} is no attribute of {}", view.name)));
            }
        }
    }
}

/// How many tokens the `WITH` at the beginning takes.
pub fn with_length(tokens: &[Token]) -> usize {
    if !tokens.first().is_some_and(|first| first.is("WITH")) {
        return 0;
    }
    let listed = |token: &&Token| token.is_sign(',') || token.word().is_some_and(|word| COLLECTIONS.contains(&word));
    1 + tokens.iter().skip(1).take_while(listed).count()
}

/// What the `WITH` at the beginning names.
fn with<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a str> {
    tokens[..with_length(tokens)].iter().skip(1).filter_map(Token::word)
}

/// The collections of the vertices that a traversal can meet: the ends of its edges in its direction, and where it starts
/// when that is written there.
fn met<'a>(traversal: &Loop, direction: usize, tokens: &[Token<'a>]) -> Result<Vec<&'a str>, String> {
    let way = &tokens[direction..traversal.source.end];
    let last = way.last().and_then(Token::word);
    if !last.is_some_and(|name| COLLECTIONS.contains(&name) && is_edge(name)) {
        return Err("a traversal names its edge collections".to_owned());
    }
    let mut depth = 0;
    let mut towards = tokens[direction].word().unwrap_or_default();
    let mut found: Vec<&str> = starts(way);
    // The first token behind the direction belongs to the start, whatever it is called.
    for (place, token) in way.iter().enumerate().skip(2) {
        depth = depth_behind(depth, *token);
        let Some(word) = token.word().filter(|_| depth == 0 && !is_member(way, place)) else { continue };
        if DIRECTIONS.contains(&word) {
            towards = word;
        } else if let Some(edge) = EDGES.iter().find(|edge| edge.name == word) {
            found.extend(if towards == "INBOUND" { &[] } else { edge.to });
            found.extend(if towards == "OUTBOUND" { &[] } else { edge.from });
            towards = tokens[direction].word().unwrap_or_default();
        }
    }
    Ok(found)
}

/// The collections of the identifiers among these tokens.
fn starts<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let texts =
        tokens.iter().filter_map(|token| if let Kind::Text(text) = token.kind { text.split_once('/') } else { None });
    texts.map(|(name, _)| name).filter(|name| COLLECTIONS.contains(name)).collect()
}

/// What is wrong with a loop over one word that is neither a collection, a view nor a variable.
fn unknown_source(found: &Loop, tokens: &[Token]) -> Option<String> {
    let [one] = &tokens[found.source.clone()] else { return None };
    let word = one.word().filter(|word| !COLLECTIONS.contains(word))?;
    if VIEWS.iter().any(|view| view.name == word) {
        return None;
    }
    let is_variable = tokens.iter().enumerate().any(|(place, token)| {
        let next = |offset| tokens.get(place + offset);
        let is_assigned =
            next(1).is_some_and(|next| next.is_sign('=')) && !next(2).is_some_and(|next| next.is_sign('='));
        let is_taken = place > 0 && (tokens[place - 1].is("FOR") || tokens[place - 1].is("INTO"));
        token.is(word) && place != found.source.start && (is_assigned || is_taken)
    });
    (!is_variable).then(|| format!("{word} is neither a collection nor a variable"))
}
