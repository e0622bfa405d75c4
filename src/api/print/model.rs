//! Print templates. What they print is handed on as it was sent and is stored: these types are what the document says of it,
//! and what the guard holds a request to.

use poem_openapi::{Enum, Object};

use crate::openapi::{AsStored, Name, Note};

/// A template for printing.
#[derive(Debug, Object)]
#[oai(rename = "PrintTemplateRecord-Output")]
pub struct PrintTemplateRecord {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    description: Option<String>,
    template: Option<output::PrintTemplate>,
    /// How many entities use it.
    #[oai(default = "none")]
    entities: Option<i64>,
}

/// A template for printing, as it is sent.
#[derive(Debug, Object)]
#[oai(rename = "PrintTemplateRecord-Input")]
pub(crate) struct NewTemplate {
    /// Told for the rest of the record's sake.
    #[oai(rename = "_id")]
    pub id: Option<String>,
    /// Which one is replaced.
    #[oai(rename = "_key")]
    pub key: Option<String>,
    /// Not compared; `If-Match` is.
    #[oai(rename = "_rev")]
    pub rev: Option<String>,
    pub name: Name,
    pub description: Option<Note>,
    pub template: Option<AsStored<input::PrintTemplate>>,
    /// Counted by the service, whatever is sent.
    #[oai(default = "none")]
    pub entities: Option<i64>,
}

fn none() -> Option<i64> {
    Some(0)
}

/// What is printed, as it is sent and as it is answered: the same members, under the two names that the document has for them.
macro_rules! template {
    ($template:tt, $text:tt, $visual:tt, $position:tt) => {
        use std::collections::HashMap;

        use poem_openapi::Object;

        use super::{Alignment, BlankPdf, DynamicFontSize, LinkType, VerticalAlignment, VisualFieldType, text};
        use crate::openapi::OneOf;

        /// What is printed, in the form of pdfme.
        #[derive(Debug, Object)]
        #[oai(rename = $template)]
        pub struct PrintTemplate {
            /// What is printed on: a PDF file as text, or a blank page.
            #[oai(rename = "basePdf")]
            base_pdf: Option<OneOf<String, BlankPdf>>,
            #[oai(default)]
            sampledata: Vec<HashMap<String, String>>,
            /// The fields of each page.
            schemas: Vec<Vec<OneOf<TextField, VisualField>>>,
            #[oai(rename = "pdfmeVersion")]
            pdfme_version: Option<String>,
        }

        /// Where a field stands on its page.
        #[derive(Debug, Object)]
        #[oai(rename = $position)]
        struct Position {
            x: f64,
            y: f64,
        }

        /// A field that shows a text.
        #[derive(Debug, Object)]
        #[oai(rename = $text, rename_all = "camelCase")]
        struct TextField {
            name: String,
            #[oai(rename = "type", default = "text", validator(pattern = "^text$"))]
            kind: String,
            position: Position,
            height: f64,
            width: f64,
            alignment: Option<Alignment>,
            background_color: Option<String>,
            character_spacing: Option<f64>,
            dynamic_font_size: Option<DynamicFontSize>,
            font_color: Option<String>,
            font_name: Option<String>,
            font_size: Option<f64>,
            line_height: Option<f64>,
            rotate: Option<f64>,
            vertical_alignment: Option<VerticalAlignment>,
            link_type: Option<LinkType>,
            link_value: Option<String>,
            custom_field_key: Option<String>,
            extra_path: Option<String>,
            template_expression: Option<String>,
            read_only: Option<bool>,
            required: Option<bool>,
        }

        /// A field that shows a picture or a code.
        #[derive(Debug, Object)]
        #[oai(rename = $visual, rename_all = "camelCase")]
        struct VisualField {
            name: String,
            #[oai(rename = "type")]
            kind: VisualFieldType,
            position: Position,
            height: f64,
            width: f64,
            rotate: Option<f64>,
            link_type: Option<LinkType>,
            link_value: Option<String>,
            custom_field_key: Option<String>,
            extra_path: Option<String>,
            template_expression: Option<String>,
            read_only: Option<bool>,
            required: Option<bool>,
        }
    };
}

/// What is printed, as it is sent.
pub(crate) mod input {
    template!("PrintTemplate-Input", "TextFieldSpec-Input", "VisualFieldSpec-Input", "Position-Input");
}

/// What is printed, as it is answered.
pub mod output {
    template!("PrintTemplate-Output", "TextFieldSpec-Output", "VisualFieldSpec-Output", "models__print__Position");
}

/// A blank page.
#[derive(Debug, Object)]
struct BlankPdf {
    width: f64,
    height: f64,
    #[oai(default = "no_padding")]
    padding: Vec<f64>,
}

fn no_padding() -> Vec<f64> {
    vec![0.0; 4]
}

fn text() -> String {
    "text".to_owned()
}

/// The size of a text that fits its field.
#[derive(Debug, Object)]
struct DynamicFontSize {
    fit: Option<String>,
    max: Option<f64>,
    min: Option<f64>,
}

/// Where a text stands in its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum Alignment {
    Center,
    Left,
    Right,
}

/// How high a text stands in its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum VerticalAlignment {
    Top,
    Middle,
    Bottom,
}

/// Where the content of a field comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum LinkType {
    None,
    Preset,
    CustomField,
    TemplateExpression,
    Computed,
}

/// What a field shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum VisualFieldType {
    Image,
    Qrcode,
    Ean13,
    Code39,
    Code128,
    Gs1datamatrix,
    Datamatrix,
    Japanpost,
    Nw7,
    Itf14,
    Upca,
    Upce,
}
