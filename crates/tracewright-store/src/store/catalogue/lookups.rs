//! What a row costs beside itself: calls of `DOCUMENT()`, and subqueries that read a collection, as far as they stand in a
//! loop and so run again for each of its rows. A join, which is a loop in a loop, is none: the database reads its sides as
//! sets.

use super::loops::{Loop, is_clause, loops};
use super::tokens::Token;

/// One bracket around the place that is looked at, or the whole query.
#[derive(Default)]
struct Level {
    /// A loop runs here: what follows runs once for each of its rows.
    is_looping: bool,
    /// A loop has begun and its source is not over yet.
    is_beginning: bool,
    /// It stands in a loop and is counted once it reads a collection.
    is_repeated: bool,
}

/// The number of lookups that a row of the query, or of a list it is made of, costs.
pub fn count(tokens: &[Token]) -> usize {
    let loops = loops(tokens);
    let mut levels = vec![Level::default()];
    let mut found = 0;
    for (place, token) in tokens.iter().enumerate() {
        let next = tokens.get(place + 1);
        let is_repeated = levels.iter().any(|level| level.is_looping);
        let Some(level) = levels.last_mut() else { break };
        if is_clause(*token) && level.is_beginning {
            (level.is_looping, level.is_beginning) = (true, false);
        }
        if token.is("FOR") {
            level.is_beginning = true;
            let reads = loops.iter().find(|found| found.at == place).is_some_and(|found: &Loop| found.reads(tokens));
            if reads && std::mem::take(&mut level.is_repeated) {
                found += 1;
            }
        } else if token.is_sign('(') {
            let is_subquery = next.is_some_and(|next| is_clause(*next));
            levels.push(Level { is_repeated: is_repeated && is_subquery, ..Level::default() });
        } else if token.is_sign('[') {
            // `list[* ...]` goes through the list.
            let is_looping = next.is_some_and(|next| next.is_sign('*'));
            levels.push(Level { is_looping, ..Level::default() });
        } else if token.is_sign(')') || token.is_sign(']') {
            levels.pop();
        } else if token.is("DOCUMENT") && next.is_some_and(|next| next.is_sign('(')) && is_repeated {
            found += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;

    fn count(text: &str) -> usize {
        super::count(&tokens(text))
    }

    #[test]
    fn what_stands_in_no_loop_runs_once() {
        assert_eq!(count("LET a = DOCUMENT(@id) LET b = (FOR c IN Serial RETURN c) RETURN [a, b]"), 0);
        assert_eq!(count("FOR a IN (FOR b IN Serial RETURN b) RETURN a"), 0);
    }

    #[test]
    fn documents_and_subqueries_in_a_loop_are_counted() {
        assert_eq!(count("FOR a IN Serial LET b = DOCUMENT(a.b) RETURN DOCUMENT(a.c)"), 2);
        assert_eq!(count("FOR a IN Serial RETURN { b: (FOR b IN contains FILTER b._to == a._id RETURN b) }"), 1);
        assert_eq!(count("FOR a IN Serial RETURN LENGTH(FOR b IN 1..9 OUTBOUND a contains RETURN 1)"), 1);
        assert_eq!(count("FOR a IN @list FOR b IN (FOR c IN Serial RETURN c) RETURN b"), 1);
        assert_eq!(count("LET a = (FOR b IN @list RETURN DOCUMENT(b)) RETURN a"), 1);
        assert_eq!(count("RETURN @list[* RETURN DOCUMENT(CURRENT)]"), 1);
    }

    #[test]
    fn a_subquery_in_a_subquery_is_one_of_its_own() {
        let text = "FOR a IN Serial LET b = (FOR c IN contains LET d = (FOR e IN Tag RETURN e) RETURN DOCUMENT(c._to)) RETURN b";
        assert_eq!(count(text), 3);
    }

    #[test]
    fn joins_and_subqueries_over_lists_are_no_lookups() {
        assert_eq!(count("FOR a IN Serial FOR b IN Product FILTER b._key == a.product_key RETURN b"), 0);
        assert_eq!(count("FOR a IN Serial LET b = (FOR c IN a.data RETURN c) RETURN b"), 0);
    }
}
