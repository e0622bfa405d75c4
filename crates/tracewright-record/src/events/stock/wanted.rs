//! A movement as it is wanted: named by keys and codes, with what its planned form already says.

use super::movement::Movement;
use super::{MovementType, NOWHERE, OUTSIDE, ROOT};
use crate::error::Result;
use crate::events::Refusal;

/// A movement as it is wanted.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub kind: MovementType,
    /// How much: confirmed, or planned.
    pub quantity: f64,
    pub product_key: Option<String>,
    pub serial_key: Option<String>,
    /// Code of the serial as codes are stored.
    pub serial_code: Option<String>,
    /// The ends that were sent.
    pub sent_from: Option<String>,
    pub sent_to: Option<String>,
    /// The ends that count: those sent, else those planned.
    pub from: Option<String>,
    pub to: Option<String>,
    pub list_key: Option<String>,
    pub item: Option<f64>,
    /// Key of the movement that is completed, whether it exists or not.
    pub movement_key: Option<String>,
    pub movement: Option<Movement>,
}

impl Wanted {
    /// A stored movement as it was wanted.
    pub(super) fn of_stored(movement: &Movement) -> Self {
        let (from, to) = (Some(movement.from().to_owned()), Some(movement.to().to_owned()));
        Self {
            kind: movement.kind().unwrap_or(MovementType::Reversal),
            quantity: movement.confirmed(),
            product_key: movement.product_key().map(str::to_owned),
            serial_key: movement.serial_key().map(str::to_owned),
            serial_code: None,
            sent_from: None,
            sent_to: None,
            from,
            to,
            list_key: movement.list_key().map(str::to_owned),
            item: movement.item(),
            movement_key: None,
            movement: None,
        }
    }

    /// The same movement where it completes one that was planned: what was not sent is as it was planned.
    pub(super) fn completing(mut self, key: Option<String>, movement: Option<&Movement>) -> Self {
        self.movement_key = key;
        let Some(movement) = movement else { return self };
        self.product_key = self.product_key.or_else(|| movement.product_key().map(str::to_owned));
        if self.serial_code.is_none() {
            self.serial_key = self.serial_key.or_else(|| movement.serial_key().map(str::to_owned));
        }
        // An adjustment has one place, whichever member names it.
        let is_elsewhere = self.kind == MovementType::Adjustment && (self.from.is_some() || self.to.is_some());
        if !is_elsewhere {
            self.from = self.from.or_else(|| Some(movement.from().to_owned()));
            self.to = self.to.or_else(|| Some(movement.to().to_owned()));
        }
        self.movement = Some(movement.clone());
        self
    }

    /// Whether a whole position is moved.
    pub(super) fn is_container(&self) -> bool {
        self.kind == MovementType::Transfer
            && self.product_key.is_none()
            && self.serial_key.is_none()
            && self.serial_code.is_none()
    }

    /// The keys of both ends: some types have an end of their own, some a default.
    pub(super) fn ends(&self, absent: Absent) -> Result<(String, String)> {
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        let own = |end: Option<&str>| -> Result<String> {
            let key = end.unwrap_or(ROOT);
            if key == NOWHERE {
                return Err(Refusal::Movement.says(format!("{NOWHERE} cannot be an end of this movement")));
            }
            Ok(key.to_owned())
        };
        let refused = |text: &str| -> Result<(String, String)> { Err(Refusal::Value.says(text)) };
        let (from, to) = match self.kind {
            MovementType::Receipt => Ok((OUTSIDE.to_owned(), own(to)?)),
            MovementType::Shipment => Ok((own(from)?, OUTSIDE.to_owned())),
            MovementType::Production => Ok((NOWHERE.to_owned(), own(to)?)),
            MovementType::Consumption => Ok((own(from)?, NOWHERE.to_owned())),
            MovementType::Transfer => {
                if absent == Absent::IsMissing && (from.is_none() || to.is_none()) {
                    return refused("A transfer needs position_from and position_to");
                }
                Ok((own(from)?, own(to)?))
            }
            MovementType::Adjustment => match (from, to) {
                (None, None) => refused("An adjustment needs its position"),
                (Some(from), Some(to)) if from != to => refused("An adjustment has one position, not two"),
                (end, other) => own(end.or(other)).map(|key| (key.clone(), key)),
            },
            MovementType::Reversal => Err(no_reversal()),
        }?;
        // A container that would go into itself is refused for what it is.
        if from == to && self.kind != MovementType::Adjustment && !self.is_container() {
            return refused("The movement ends where it begins");
        }
        Ok((from, to))
    }
}

/// What an end of a transfer that is not named means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// That something is missing.
    IsMissing,
    /// The root of the own stock.
    IsRoot,
}

/// The refusal of a reversal that does not undo a movement.
pub(super) fn no_reversal() -> crate::error::Error {
    Refusal::Movement.says("A reversal is not made directly: post MOVEMENT_REVERSED for the movement to be undone")
}

/// An optional key or code: an empty text is none.
pub(super) fn given(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Key of a position that is named by its key or its identifier.
pub(super) fn position_key(text: Option<&String>) -> Option<String> {
    let key = given(text)?;
    Some(key.strip_prefix("Position/").map_or_else(|| key.clone(), str::to_owned)).filter(|key| !key.is_empty())
}

/// The code of a serial as codes are stored.
pub(super) fn serial_code(text: Option<&String>) -> Option<String> {
    given(text).map(|code| code.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(kind: MovementType, from: Option<&str>, to: Option<&str>, absent: Absent) -> Option<String> {
        let wanted = Wanted {
            kind,
            quantity: 1.0,
            product_key: Some("p".to_owned()),
            serial_key: None,
            serial_code: None,
            sent_from: None,
            sent_to: None,
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            list_key: None,
            item: None,
            movement_key: None,
            movement: None,
        };
        wanted.ends(absent).ok().map(|(from, to)| format!("{from}>{to}"))
    }

    #[test]
    fn ends_are_implied_or_forced_by_the_type() {
        use Absent::{IsMissing, IsRoot};
        for (kind, from, to, absent, expected) in [
            (MovementType::Receipt, None, Some("a"), IsMissing, Some("OUT>a")),
            (MovementType::Receipt, Some("b"), None, IsMissing, Some("OUT>IN")),
            (MovementType::Receipt, None, Some("NULL"), IsMissing, None),
            (MovementType::Receipt, None, Some("OUT"), IsMissing, None),
            (MovementType::Shipment, None, Some("b"), IsMissing, Some("IN>OUT")),
            (MovementType::Production, Some("b"), None, IsMissing, Some("NULL>IN")),
            (MovementType::Consumption, Some("a"), Some("b"), IsMissing, Some("a>NULL")),
            (MovementType::Adjustment, Some("a"), None, IsMissing, Some("a>a")),
            (MovementType::Adjustment, Some("a"), Some("b"), IsMissing, None),
            (MovementType::Adjustment, None, None, IsRoot, None),
            (MovementType::Transfer, Some("a"), Some("a"), IsMissing, None),
            (MovementType::Transfer, Some("a"), None, IsMissing, None),
            (MovementType::Transfer, Some("a"), None, IsRoot, Some("a>IN")),
            (MovementType::Transfer, Some("a"), Some("NULL"), IsRoot, None),
            (MovementType::Reversal, Some("a"), Some("b"), IsMissing, None),
        ] {
            assert_eq!(ends(kind, from, to, absent).as_deref(), expected, "{kind:?} {from:?} {to:?}");
        }
    }

    #[test]
    fn empty_texts_are_absent_and_positions_have_two_forms() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(given(text(" ").as_ref()), None);
        assert_eq!(position_key(text("Position/A1").as_ref()), text("A1"));
        assert_eq!(position_key(text("A1").as_ref()), text("A1"));
        assert_eq!(position_key(text("Position/").as_ref()), None);
        assert_eq!(serial_code(text(" ab1 ").as_ref()), text("AB1"));
    }
}
