//! Queries that write, alone or in subqueries, whatever stands before and behind these.

use rand::RngExt;

use super::queries::{Maker, Query};

impl Maker<'_, '_> {
    /// A query that writes to `@@c`, or reads that and writes to `@@w`.
    pub fn writing(mut self) -> Query {
        let text = match self.random.random_range(0..10) {
            0..4 => self.modification(),
            _ => self.with_writing_subquery(),
        };
        self.finish(text)
    }

    fn modification(&mut self) -> String {
        let filters = self.filters(&["d"], 2);
        let (sort, limit) = (self.sort(&["d"]), self.limit());
        let (a, b) = (self.one(&["a", "b", "n", "s", "t", "u"]), self.one(&["a", "b", "n", "s", "t", "u"]));
        let literal = self.literal(a);
        let options = self.one(&["", " OPTIONS { keepNull: false }", " OPTIONS { mergeObjects: false }"]);
        let returned = self.one(&["", " RETURN NEW.n", " RETURN [OLD.a, NEW.b]"]);
        let rows = format!("FOR d IN @@c{filters}{sort}{limit}");
        match self.random.random_range(0..8) {
            0 => format!("{rows} UPDATE d WITH {{ {a}: d.{b}, n: {literal} }} IN @@c{options}{returned}"),
            1 => {
                format!("{rows} UPDATE d WITH {{ o: {{ c: d.{b}, x: {{ y: {literal} }} }} }} IN @@c{options}{returned}")
            }
            2 => format!("{rows} REPLACE d WITH {{ q: d.q, {a}: d.{b}, {b}: {literal} }} IN @@c{returned}"),
            3 => format!("{rows} REMOVE d IN @@c RETURN OLD._key"),
            4 => format!("{rows} INSERT {{ _key: CONCAT('n', d._key), q: [d.q], {a}: d.{b} }} INTO @@c RETURN NEW.{a}"),
            5 => format!(
                "{rows} INSERT {{ _key: CONCAT('k', LENGTH(d.t)), q: [d._key], {a}: d.{b} }} INTO @@c \
                 OPTIONS {{ overwriteMode: '{}' }}",
                self.one(&["ignore", "update", "replace"])
            ),
            6 => format!(
                "{rows} UPSERT {{ q: d.q, {a}: {literal} }} INSERT {{ _key: CONCAT('u', d._key), q: [d.q], n: 1 }} \
                 {} {{ {b}: OLD.{a} }} IN @@c RETURN [OLD._key, NEW.n]",
                self.one(&["UPDATE", "REPLACE"])
            ),
            _ => {
                format!("{rows} INSERT {{ _key: d._key, q: 1, {a}: d.{b} }} INTO @@c OPTIONS {{ ignoreErrors: true }}")
            }
        }
    }

    /// A subquery that writes one document for each row.
    fn writer(&mut self, vars: &[&str], place: &str) -> String {
        let keys: Vec<String> = vars.iter().map(|var| format!("{var}._key")).collect();
        let key = format!("CONCAT('{place}', {})", keys.join(", '-', "));
        let a = self.attribute();
        let var = vars.last().copied().unwrap_or("d");
        let document = format!("{{ _key: {key}, v: {var}.{a} }}");
        match self.random.random_range(0..6) {
            0 => format!("(INSERT {document} INTO @@w)"),
            1 => format!(
                "(FOR i IN 1..2 INSERT MERGE({document}, {{ _key: CONCAT({key}, '_', i) }}) INTO @@w RETURN NEW._key)"
            ),
            2 => format!("(FOR i IN 1..2 FILTER {var}.k == i INSERT {document} INTO @@w RETURN NEW.v)"),
            3 => format!("(UPSERT {{ _key: {key} }} INSERT {document} UPDATE {{ n: 1 }} IN @@w RETURN NEW.v)"),
            _ => format!("(INSERT {document} INTO @@w RETURN NEW.v)"),
        }
    }

    fn with_writing_subquery(&mut self) -> String {
        let mut text = String::from("FOR d IN @@c");
        let mut vars = vec!["d"];
        let mut place = 0;
        let mut has_written = false;
        for _ in 0..self.random.random_range(1..7) {
            let clause = match self.random.random_range(0..12) {
                0..3 if !has_written => {
                    has_written = true;
                    place += 1;
                    let writer = self.writer(&vars, &format!("a{place}"));
                    format!(" LET w{place} = {writer}")
                }
                3 if !has_written => {
                    has_written = true;
                    let (writer, test) = (self.writer(&vars, "f"), self.condition(&vars, 0));
                    let (first, second) = (format!("LENGTH({writer}) < 2"), test);
                    match self.random.random_range(0..3) {
                        0 => format!(" FILTER {first} AND {second}"),
                        1 => format!(" FILTER {second} AND {first}"),
                        _ => format!(" FILTER {second} OR {first}"),
                    }
                }
                // a collection that may be looped over again is not the one that was written
                4 if vars.len() < 2 => {
                    vars.push("e");
                    let a = self.attribute();
                    format!(" FOR e IN @@c FILTER e.{a} == d.{a}")
                }
                5 => {
                    let sort = self.sort(&vars);
                    format!("{sort}{}", self.limit())
                }
                6 => {
                    let a = self.attribute();
                    place += 1;
                    format!(" LET v{place} = d.{a} FILTER v{place} != {}", self.literal(a))
                }
                7 if !has_written => {
                    let test = self.condition(&vars, 0);
                    place += 1;
                    format!(" LET s{place} = LENGTH(FOR z IN @@c FILTER {test} RETURN z) FILTER s{place} > 1")
                }
                8 => {
                    place += 1;
                    format!(" LET x{place} = (FOR z IN 1..3 FILTER z >= d.k RETURN z * 2) FILTER LENGTH(x{place}) < 3")
                }
                9 if vars.len() < 2 && !has_written => {
                    vars.push("e");
                    has_written = true;
                    let writer = self.writer(&["d"], "l");
                    format!(" FOR m IN {writer} FOR e IN [d]")
                }
                _ => format!(" FILTER {}", self.condition(&vars, 1)),
            };
            text.push_str(&clause);
        }
        let vars_shown = vars.iter().map(|var| format!("{var}._key")).collect::<Vec<_>>().join(", ");
        let sort = self.sort(&vars);
        let behind = match self.random.random_range(0..6) {
            0 if !has_written => {
                let writer = self.writer(&vars, "r");
                format!("{sort} RETURN [{vars_shown}, {writer}]")
            }
            1 if !has_written => {
                let (test, writer) = (self.condition(&vars, 0), self.writer(&vars, "t"));
                format!("{sort} RETURN ({test} ? LENGTH({writer}) : [{vars_shown}])")
            }
            2 => "COLLECT WITH COUNT INTO n RETURN n".to_owned(),
            3 => format!("{sort}{} RETURN [{vars_shown}]", self.limit()),
            4 => format!("{sort} LIMIT 2 RETURN [{vars_shown}]"),
            _ => format!("{sort} RETURN [{vars_shown}]"),
        };
        format!("{text} {behind}")
    }
}
