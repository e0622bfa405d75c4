//! A device history record as it comes over HTTP, and files to attach to serials.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, ObjectId, Permissions, Stream, dictionary,
};
use reqwest::Method;
use serde_json::Value;

use crate::Service;

/// A record that was fetched.
pub struct Record {
    /// The name under which it is to be kept.
    pub file_name: String,
    /// Its objects.
    pub document: Document,
    /// The text of each page without blanks, so that it does not matter how glyphs are spaced.
    pub pages: Vec<String>,
}

/// Fetches the record of a serial.
pub async fn record(service: &Service, path: &str) -> Record {
    let token = service.token("auditor", "traceability").await;
    let response = service.request(Method::GET, path, &token).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    assert_eq!(response.headers()["content-type"], "application/pdf");
    let disposition = response.headers()["content-disposition"].to_str().unwrap().to_owned();
    let file_name = disposition.strip_prefix("attachment; filename=\"").and_then(|rest| rest.strip_suffix('"'));
    let bytes = response.bytes().await.unwrap();
    if let Ok(folder) = std::env::var("TRACEWRIGHT_KEEP_RECORDS") {
        let name = std::thread::current().name().unwrap_or("record").replace("::", "_");
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.pdf")), &bytes).unwrap();
    }
    let document = Document::load_mem(&bytes).unwrap();
    let numbers: Vec<u32> = document.get_pages().keys().copied().collect();
    let pages = numbers.iter().map(|page| squeeze(&document.extract_text(&[*page]).unwrap())).collect();
    Record { file_name: file_name.expect(&disposition).to_owned(), document, pages }
}

/// A text without blanks.
pub fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

impl Record {
    /// The text of all pages without blanks.
    pub fn text(&self) -> String {
        self.pages.concat()
    }

    /// Whether a text stands in it, however its glyphs are spaced.
    pub fn contains(&self, text: &str) -> bool {
        self.text().contains(&squeeze(text))
    }

    /// How often a text stands in it.
    pub fn count(&self, text: &str) -> usize {
        self.text().matches(&squeeze(text)).count()
    }

    /// Asserts that texts follow one another.
    pub fn follows(&self, texts: &[&str]) {
        let all = self.text();
        let mut rest = all.as_str();
        for text in texts {
            let Some(at) = rest.find(&squeeze(text)) else {
                panic!("{text:?} is missing after its predecessors in {all}")
            };
            rest = &rest[at + squeeze(text).len()..];
        }
    }

    /// The images and forms that a page draws, by name.
    pub fn objects(&self, page: u32) -> Vec<(String, &Stream)> {
        let id = self.document.get_pages()[&page];
        let page = self.document.get_dictionary(id).unwrap();
        self.named_objects(page)
    }

    /// The images and forms in the resources of a page or form.
    pub fn named_objects<'a>(&'a self, owner: &'a Dictionary) -> Vec<(String, &'a Stream)> {
        let follow = |object| self.document.dereference(object).unwrap().1;
        let resources = follow(owner.get(b"Resources").unwrap()).as_dict().unwrap();
        let Ok(objects) = resources.get(b"XObject") else { return Vec::new() };
        let objects = follow(objects).as_dict().unwrap().iter();
        objects
            .map(|(name, object)| (String::from_utf8_lossy(name).into_owned(), follow(object).as_stream().unwrap()))
            .collect()
    }

    /// Width and height of the images that a page draws, the logo aside.
    pub fn image_sizes(&self, page: u32) -> Vec<(i64, i64)> {
        let size = |stream: &Stream, name: &[u8]| stream.dict.get(name).unwrap().as_i64().unwrap();
        let objects = self.objects(page).into_iter().filter(|(name, _)| name != "Logo");
        let images = objects.filter(|(_, stream)| stream.dict.get(b"Subtype").unwrap().as_name().unwrap() == b"Image");
        images.map(|(_, stream)| (size(stream, b"Width"), size(stream, b"Height"))).collect()
    }

    /// What the attached pages on a page draw.
    pub fn attached_content(&self, page: u32) -> String {
        let mut found = String::new();
        for (_, outer) in self.objects(page).into_iter().filter(|(name, _)| name != "Logo") {
            if outer.dict.get(b"Resources").is_ok() {
                for (_, inner) in self.named_objects(&outer.dict) {
                    let content = inner.decompressed_content().unwrap_or_else(|_| inner.content.clone());
                    found.push_str(&String::from_utf8_lossy(&content));
                }
            }
        }
        found
    }
}

/// An image of one colour with a frame.
pub fn image(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    let pixel = |x, y| {
        let is_frame = x < 8 || y < 8 || x + 8 >= width || y + 8 >= height;
        if is_frame { Rgb([20, 70, 130]) } else { Rgb([(x % 256) as u8, (y % 256) as u8, 190]) }
    };
    let image = DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, pixel));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A PDF file with a page for each text.
pub fn pdf(texts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    pdf_document(texts).save_to(&mut bytes).unwrap();
    bytes
}

/// A PDF file with a form field whose text somebody has filled in.
pub fn filled_pdf(text: &str) -> Vec<u8> {
    let mut document = pdf_document(&["Form"]);
    let sheet = dictionary! {"Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 200.into(), 20.into()]};
    let content = format!("0.1 g 0 0 200 20 re S % {text}").into_bytes();
    let appearance = document.add_object(Stream::new(sheet, content));
    let note = dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "Rect" => vec![90.into(), 600.into(), 290.into(), 620.into()],
        "AP" => dictionary! {"N" => appearance},
    };
    let page = document.get_pages()[&1];
    document.get_object_mut(page).unwrap().as_dict_mut().unwrap().set("Annots", vec![note.into()]);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

/// A PDF file that opens with a password only.
pub fn locked_pdf(texts: &[&str]) -> Vec<u8> {
    let mut document = pdf_document(texts);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: "user",
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

/// A small PDF file of one page whose objects unfold to so many megabytes.
pub fn bomb_pdf(megabytes: usize) -> Vec<u8> {
    use std::io::Write;
    let objects = [
        "<</Type/Catalog/Pages 3 0 R>>",
        "<</Type/Pages/Count 1/Kids[4 0 R]>>",
        "<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]>>",
    ];
    let mut at = 0;
    let mut place = |(index, object): (usize, &&str)| {
        let place = format!("{} {at} ", index + 2);
        at += object.len() + 1;
        place
    };
    let places: String = objects.iter().enumerate().map(&mut place).collect();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(format!("{places}{}\n", objects.join("\n")).as_bytes()).unwrap();
    encoder.flush().unwrap();
    let mut data = vec![0x78, 0xDA];
    data.extend(encoder.get_ref());
    // Blanks behind the objects: every megabyte is the same few bytes.
    encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    let start = encoder.get_ref().len();
    encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    data.extend(encoder.get_ref()[start..].repeat(megabytes));
    data.extend([0x03, 0x00]);

    let mut file = b"%PDF-1.5\n".to_vec();
    let container = file.len();
    let head = format!(
        "1 0 obj <</Type/ObjStm/N 3/First {}/Filter/FlateDecode/Length {}>> stream\n",
        places.len(),
        data.len()
    );
    file.extend([head.as_bytes(), &data, b"\nendstream endobj\n"].concat());
    let table = file.len();
    let entry = |kind: u8, one: usize, two: u8| [&[kind][..], &(one as u32).to_be_bytes(), &[two]].concat();
    let entries =
        [entry(0, 0, 0), entry(1, container, 0), entry(2, 1, 0), entry(2, 1, 1), entry(2, 1, 2), entry(1, table, 0)]
            .concat();
    let head = format!("5 0 obj <</Type/XRef/Size 6/W[1 4 1]/Root 2 0 R/Length {}>> stream\n", entries.len());
    file.extend([head.as_bytes(), &entries, b"\nendstream endobj\n"].concat());
    file.extend(format!("startxref\n{table}\n%%EOF\n").as_bytes());
    file
}

fn pdf_document(texts: &[&str]) -> Document {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {"Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica"});
    let resources = document.add_object(dictionary! {"Font" => dictionary! {"F1" => font}});
    let pages: Vec<ObjectId> = texts
        .iter()
        .map(|text| {
            let part = |text: String| Object::Stream(Stream::new(dictionary! {}, text.into_bytes()));
            // The content of a page may stand in several streams.
            let contents: Vec<Object> = [
                part("q 0.9 0.95 1 rg 60 60 475 722 re f Q".to_owned()),
                part(format!("BT /F1 32 Tf 90 700 Td ({text}) Tj ET")),
            ]
            .into_iter()
            .map(|stream| Object::Reference(document.add_object(stream)))
            .collect();
            document.add_object(dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => contents, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            })
        })
        .collect();
    let kids: Vec<Object> = pages.iter().map(|page| Object::Reference(*page)).collect();
    document.objects.insert(
        tree,
        Object::Dictionary(dictionary! {"Type" => "Pages", "Count" => kids.len() as i64, "Kids" => kids}),
    );
    let catalog = document.add_object(dictionary! {"Type" => "Catalog", "Pages" => tree});
    document.trailer.set("Root", catalog);
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    document
}

/// Puts a file where the field of a serial has its files.
pub fn attach(service: &Service, serial_key: &str, field_key: &str, name: &str, bytes: &[u8]) {
    let folder = service.app.settings.media_root().join("serial").join(serial_key).join(field_key);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), bytes).unwrap();
}

/// The value of a field that holds files.
pub fn files(names: &[&str]) -> Value {
    names.iter().map(|name| serde_json::json!({"name": name, "size": 1})).collect()
}
