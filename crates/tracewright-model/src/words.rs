//! The words that documents hold: states, levels and kinds. Each enum has the names by which documents and the interface spell its
//! words, and nothing else in the service spells them.

use std::fmt;

use poem_openapi::Enum;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// One of a fixed set of words.
pub trait Named: Copy + PartialEq + 'static {
    /// Every one.
    const EVERY: &'static [Self];

    /// How documents spell it.
    fn name(self) -> &'static str;

    /// The word that is spelled so.
    fn of_name(name: &str) -> Option<Self> {
        Self::EVERY.iter().copied().find(|word| word.name() == name)
    }
}

/// Words for people who may choose among them: `planned or started`.
pub fn either<T: Named>(words: &[T]) -> String {
    words.iter().map(|word| word.name()).collect::<Vec<_>>().join(" or ")
}

macro_rules! words {
    ($($(#[$about:meta])* $name:ident $schema:literal { $($(#[$means:meta])* $word:ident $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enum, Serialize, Deserialize)]
        #[oai(rename = $schema)]
        pub enum $name {
            $($(#[$means])* #[oai(rename = $text)] #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// Every one.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$word),*];

            /// How documents spell it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl Named for $name {
            const EVERY: &'static [Self] = &Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

words! {
    /// Where a work order or a job stands.
    WorkOrderStatus "WorkOrderStatus" {
        /// Nobody has begun.
        Created "created",
        /// The same, in older databases.
        Planned "planned",
        /// Somebody has begun.
        Started "started",
        /// There is nothing left to do.
        Closed "closed",
    }

    /// How far the record of a step has come.
    StepStatus "StepStatus" {
        /// Somebody has begun to fill it in.
        ToDo "to_do",
        /// The step is done.
        Done "done",
        /// The same, with something that is not as it should be.
        Critical "critical",
    }

    /// What a movement does.
    MovementType "InventoryMovementType" {
        /// From one position to another; without a product a whole position moves.
        Transfer "transfer",
        /// From outside into stock.
        Receipt "receipt",
        /// Out of stock to the outside.
        Shipment "shipment",
        /// Made and put into stock.
        Production "production",
        /// Taken from stock and used up.
        Consumption "consumption",
        /// A correction of stock, up or down.
        Adjustment "adjustment",
        /// The undoing of another movement.
        Reversal "reversal",
    }

    /// How far a movement or a list has come.
    MovementStatus "MovementStatus" {
        /// Not begun.
        Planned "planned",
        /// Begun.
        Started "started",
        /// Done; stock has changed.
        Completed "completed",
        /// Given up.
        Canceled "canceled",
    }

    /// What a session counts by.
    CountTarget "InventoryCountSessionType" {
        /// Position by position.
        Position "position",
        /// Product by product.
        Product "product",
    }

    /// How far a session has come.
    CountSessionStatus "InventoryCountSessionStatus" {
        /// Not begun.
        Planned "planned",
        /// People count.
        Started "started",
        /// Counted; under review.
        Completed "completed",
        /// Stock is being corrected.
        Processing "processing",
        /// Stock is corrected.
        Applied "applied",
        /// Given up.
        Canceled "canceled",
    }

    /// How far an assignment has come.
    CountAssignmentStatus "InventoryCountAssignmentStatus" {
        /// Not begun.
        Planned "planned",
        /// Somebody counts.
        Started "started",
        /// Counted.
        Completed "completed",
        /// Given up.
        Canceled "canceled",
    }

    /// How far a count record has come.
    CountRecordStatus "InventoryCountRecordStatus" {
        /// Somebody counts.
        Started "started",
        /// Counted.
        Completed "completed",
        /// Handed in.
        Submitted "submitted",
        /// Accepted.
        Confirmed "confirmed",
        /// Thrown away.
        Discarded "discarded",
    }

    /// How a position is finished in a session.
    CountedPosition "CountedPosition" {
        /// What is in it is counted.
        Counted "counted",
        /// Somebody says that nothing is in it.
        Empty "empty",
    }

    /// Where a task stands.
    TaskStatus "TaskStatus" {
        /// It waits.
        Pending "pending",
        /// It is to be done.
        Open "open",
        /// It is done.
        Completed "completed",
        /// It is given up.
        Canceled "canceled",
    }

    /// Which units of a product have a serial.
    TraceabilityLevel "TraceabilityLevel" {
        /// Serials with the data of their forms.
        FormOnly "form_only",
        /// Serials with everything.
        Complete "complete",
    }
}

impl WorkOrderStatus {
    /// Those in which there is something left to do.
    pub const OPEN: [Self; 3] = [Self::Created, Self::Planned, Self::Started];

    /// Whether nobody has begun yet.
    pub fn is_untouched(self) -> bool {
        matches!(self, Self::Created | Self::Planned)
    }
}

impl MovementType {
    /// What the type of a stored document can be, each to be looked up for itself.
    pub fn every() -> Vec<Value> {
        Self::ALL.iter().map(|kind| kind.name().into()).chain([Value::Null]).collect()
    }
}

impl MovementStatus {
    /// What the status of a stored document can be, each to be looked up for itself.
    pub fn every() -> Vec<Value> {
        Self::ALL.iter().map(|status| status.name().into()).chain([Value::Null]).collect()
    }

    /// Whether there is something left to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Started)
    }
}

/// What a document holds where a word should stand. Those of an earlier system may hold a text that is none: it stays what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word<T> {
    /// A word.
    Known(T),
    /// Another text.
    Other(String),
}

impl<T: Named> Word<T> {
    /// As the document spells it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.name(),
            Self::Other(text) => text,
        }
    }

    /// The word; none for another text.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Other(_) => None,
        }
    }

    /// Whether it is one of these words.
    pub fn is_among(&self, words: &[T]) -> bool {
        self.known().is_some_and(|word| words.contains(&word))
    }
}

impl<T: Named> Word<T> {
    /// What a text is.
    pub fn of(text: &str) -> Self {
        T::of_name(text).map_or_else(|| Self::Other(text.to_owned()), Self::Known)
    }
}

impl Word<WorkOrderStatus> {
    /// Whether nobody has begun yet.
    pub fn is_untouched(&self) -> bool {
        self.known().is_some_and(WorkOrderStatus::is_untouched)
    }
}

/// An empty text, as where a document holds nothing.
impl<T> Default for Word<T> {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl<T> From<T> for Word<T> {
    fn from(word: T) -> Self {
        Self::Known(word)
    }
}

impl<T: Named> PartialEq<T> for Word<T> {
    fn eq(&self, word: &T) -> bool {
        matches!(self, Self::Known(own) if own == word)
    }
}

impl<T: Named> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<T: Named> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Named> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(std::marker::PhantomData<fn() -> T>);

        impl<T: Named> de::Visitor<'_> for Text<T> {
            type Value = Word<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Word<T>, E> {
                Ok(Word::of(text))
            }
        }

        deserializer.deserialize_str(Text(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ToJSON;
    use serde_json::json;

    use super::*;

    fn spelled_alike<T: Named + ToJSON + Serialize>() {
        for word in T::EVERY {
            let name = json!(word.name());
            assert_eq!((word.to_json(), json!(word)), (Some(name.clone()), name));
        }
    }

    #[test]
    fn documents_and_the_interface_spell_words_alike() {
        spelled_alike::<WorkOrderStatus>();
        spelled_alike::<StepStatus>();
        spelled_alike::<MovementType>();
        spelled_alike::<MovementStatus>();
        spelled_alike::<CountTarget>();
        spelled_alike::<CountSessionStatus>();
        spelled_alike::<CountAssignmentStatus>();
        spelled_alike::<CountRecordStatus>();
        spelled_alike::<CountedPosition>();
        spelled_alike::<TaskStatus>();
        spelled_alike::<TraceabilityLevel>();
    }

    #[test]
    fn a_text_that_is_no_word_is_read_and_written_again_as_it_is() {
        let read = |text: &str| serde_json::from_value::<Word<TaskStatus>>(json!(text)).unwrap();
        assert_eq!(read("open"), TaskStatus::Open);
        assert_eq!(read("Open"), Word::Other("Open".to_owned()));
        assert_eq!(json!([read("open"), read("on hold")]), json!(["open", "on hold"]));
        assert!(read("open").is_among(&TaskStatus::ALL) && !read("on hold").is_among(&TaskStatus::ALL));
        assert!(serde_json::from_value::<Word<TaskStatus>>(json!(1)).is_err());
    }

    #[test]
    fn words_are_offered_to_people() {
        assert_eq!(either(&[MovementStatus::Planned, MovementStatus::Started]), "planned or started");
    }
}
