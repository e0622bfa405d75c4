//! Changes of analyzers and views.

use std::sync::Arc;

use smol_str::SmolStr;

use super::store::Store;
use crate::analysis::Analyzer;
use crate::catalog::{Database, IndexDefinition, names};
use crate::error::code;
use crate::search::{Link, SearchDefinition, SearchView, settings};
use crate::value::{Value, parse_json};
use crate::{Error, Result};

/// The most analyzers a link can name.
const MOST_ANALYZERS: usize = 200;

impl Store {
    /// Adds an analyzer; `false`: there was one like it already.
    pub fn create_analyzer(&self, database: &str, analyzer: Analyzer) -> Result<(Arc<Analyzer>, bool)> {
        let name = SmolStr::new(database);
        self.change(move |draft| {
            let mut database = draft.database_to_change(&name)?;
            if let Some(known) = database.analyzer(&analyzer.name) {
                if known.is_like(&analyzer) {
                    return Ok((Arc::clone(known), false));
                }
                let message = format!(
                    "name collision detected while registering Arangosearch analyzer name '{}' type '{}'",
                    analyzer.name, analyzer.kind
                );
                return Err(Error::new(code::BAD_PARAMETER, message));
            }
            let analyzer = Arc::new(analyzer);
            database.analyzers.push(Arc::clone(&analyzer));
            database.analyzers.sort_by(|a, b| a.name.cmp(&b.name));
            draft.put_changed(database)?;
            Ok((analyzer, true))
        })
    }

    /// Removes an analyzer; one that a view uses only with `force`: the view goes on with it as it was.
    pub fn drop_analyzer(&self, database: &str, analyzer: &str, force: bool) -> Result<()> {
        let (name, analyzer) = (SmolStr::new(database), SmolStr::new(analyzer));
        self.change(move |draft| {
            let mut database = draft.database_to_change(&name)?;
            if database.analyzer(&analyzer).is_none() {
                return Err(Error::plain(code::DOCUMENT_NOT_FOUND));
            }
            let uses = |database: &Database| {
                let mut definitions =
                    database.collections().flat_map(|c| &c.indexes).filter_map(|index| index.search.as_ref());
                definitions.any(|search| search.analyzer(&analyzer).is_some())
            };
            if !force && uses(&database) {
                let message = format!("analyzer in-use while removing arangosearch analyzer '{name}::{analyzer}'");
                return Err(Error::new(code::CONFLICT, message));
            }
            database.analyzers.retain(|known| known.name != analyzer);
            draft.put_changed(database)?;
            Ok(())
        })
    }

    /// Adds a view without links.
    pub fn create_view(
        &self,
        database: &str,
        name: &str,
        properties: String,
        aliases: Option<Vec<(u64, u64)>>,
    ) -> Result<Arc<SearchView>> {
        names::check_collection(name, false)?;
        let (database, name) = (SmolStr::new(database), SmolStr::new(name));
        self.change(move |draft| {
            let mut database = draft.database_to_change(&database)?;
            if database.view(&name).is_some() || database.collection(&name).is_some() {
                return Err(Error::plain(code::DUPLICATE_NAME));
            }
            let view = Arc::new(SearchView { id: draft.next_number(), name, properties, aliases });
            database.views.push(Arc::clone(&view));
            database.views.sort_by(|a, b| a.name.cmp(&b.name));
            draft.put_changed(database)?;
            Ok(view)
        })
    }

    /// Gives a view another name or other properties.
    pub fn change_view(&self, database: &str, view: &SearchView) -> Result<()> {
        let (database, view) = (SmolStr::new(database), view.clone());
        names::check_collection(&view.name, false)?;
        self.change(move |draft| {
            let mut database = draft.database_to_change(&database)?;
            let taken = database.view(&view.name).is_some_and(|other| other.id != view.id);
            if taken || database.collection(&view.name).is_some() {
                return Err(Error::plain(code::DUPLICATE_NAME));
            }
            let known = database.views.iter_mut().find(|known| known.id == view.id);
            *known.ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))? = Arc::new(view);
            database.views.sort_by(|a, b| a.name.cmp(&b.name));
            draft.put_changed(database)?;
            Ok(())
        })
    }

    /// Removes a view with its links.
    pub fn drop_view(&self, database: &str, view: &SearchView) -> Result<()> {
        for collection in self.database(database)?.collections() {
            self.unlink(database, &collection.name, view)?;
        }
        let (database, id) = (SmolStr::new(database), view.id);
        self.change(move |draft| {
            let mut database = draft.database_to_change(&database)?;
            database.views.retain(|view| view.id != id);
            draft.put_changed(database)?;
            Ok(())
        })
    }

    /// What a link of a view would be; error 10 where it names an analyzer that is unknown.
    pub fn define_link(&self, database: &str, view: &SearchView, link: Link) -> Result<SearchDefinition> {
        let stored = settings::stored_paths(&parse_json(&view.properties)?);
        Ok(SearchDefinition { stored, ..self.define(database, view.id, link)? })
    }

    fn define(&self, database: &str, view: u64, mut link: Link) -> Result<SearchDefinition> {
        let catalog = self.catalog();
        let mut analyzers = Vec::new();
        for name in link.analyzer_names() {
            let found = catalog
                .analyzer(database, &name)
                .ok_or_else(|| Error::new(code::BAD_PARAMETER, format!("error in link: unknown analyzer '{name}'")))?;
            link.rename_analyzer(&name, &found.0);
            if !analyzers.iter().any(|(known, _): &(SmolStr, _)| *known == found.0) {
                analyzers.push(found);
            }
        }
        if analyzers.len() > MOST_ANALYZERS {
            return Err(Error::new(code::BAD_PARAMETER, "a link names too many analyzers"));
        }
        Ok(SearchDefinition { view, link, analyzers, shown: String::new(), stored: Vec::new() })
    }

    /// Links a collection to a view, in the place of the link it may have. The postings of what it holds are made beside
    /// those who write.
    pub fn link(&self, database: &str, collection: &str, definition: SearchDefinition) -> Result<()> {
        let found = self.find(database, collection)?;
        let before =
            found.indexes.iter().find(|i| i.search.as_ref().is_some_and(|s| s.view == definition.view)).cloned();
        if before.as_ref().and_then(|index| index.search.as_ref()).is_some_and(|search| search.is_like(&definition)) {
            return Ok(());
        }
        self.create_index(database, collection, IndexDefinition::search(None, definition))?;
        if let Some(before) = before {
            self.drop_index(database, collection, &before.id.to_string())?;
        }
        Ok(())
    }

    /// What an inverted index would be, from the body that asks for it.
    pub fn define_inverted(&self, database: &str, body: &Value) -> Result<IndexDefinition> {
        let name = body.get("name").as_str().map(SmolStr::new);
        if let Some(name) = &name {
            names::check_index(name)?;
        }
        let (link, shown) = Link::of_inverted(body)?;
        let definition = self.define(database, 0, link)?;
        let stored = settings::stored_paths(&shown);
        Ok(IndexDefinition::search(name, SearchDefinition { shown: shown.to_json(), stored, ..definition }))
    }

    /// Takes a collection out of a view.
    pub fn unlink(&self, database: &str, collection: &str, view: &SearchView) -> Result<()> {
        let found = self.find(database, collection)?;
        for index in found.indexes.iter().filter(|i| i.search.as_ref().is_some_and(|s| s.view == view.id)) {
            self.drop_index(database, collection, &index.id.to_string())?;
        }
        Ok(())
    }
}
