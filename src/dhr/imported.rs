//! Pages of attached PDF files, copied object by object.

use std::collections::HashMap;
use std::io;
use std::ops::DerefMut;

use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, MaybeRef, ObjRef, Object, Stream};
use hayro_syntax::page::{Page, Resources};
use hayro_syntax::{DecryptionError, Filter, LoadPdfError, Pdf};
use pdf_writer::{Chunk, Content, Name, Obj, Rect, Ref, Settings};

use super::annotations;
use super::file::{PdfFile, compress, new_chunk};
use super::picture::Remark;
use super::unfold::{self, Budget};

/// Members that lead out of the page: to other pages, to the structure of the file, to other files.
const LEFT_OUT: [&[u8]; 9] =
    [b"Metadata", b"StructParent", b"StructParents", b"OC", b"AF", b"PieceInfo", b"LastModified", b"OPI", b"Parent"];
/// The content of one page may not unfold to more than this.
const CONTENT_BYTES: u64 = 48 * 1024 * 1024;

/// An attached PDF file.
pub(super) struct Imported {
    pdf: Pdf,
    copied: HashMap<ObjRef, Ref>,
    budget: Budget,
}

/// A page as a form that fills its own width and height.
pub(super) struct Form {
    pub id: Ref,
    pub width: f32,
    pub height: f32,
}

impl Imported {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Remark> {
        let mut budget = Budget::default();
        unfold::check(&bytes, &mut budget)?;
        let pdf = Pdf::new(bytes).map_err(|error| match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
                "The PDF file is protected by a password.".to_owned()
            }
            LoadPdfError::Decryption(_) => "The PDF file is encrypted in an unknown way.".to_owned(),
            LoadPdfError::Invalid => "The PDF file is damaged.".to_owned(),
        })?;
        if pdf.pages().is_empty() {
            return Err("The PDF file has no pages.".to_owned());
        }
        Ok(Self { pdf, copied: HashMap::new(), budget })
    }

    pub(super) fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Copies a page with everything it needs. What pages share is copied once.
    pub(super) fn page(&mut self, file: &mut PdfFile, index: usize) -> io::Result<Result<Form, Remark>> {
        let Self { pdf, copied, budget } = self;
        let Some(page) = pdf.pages().get(index) else { return Ok(Err("The page is missing.".to_owned())) };
        let mut copier = Copier { pdf, file, copied, budget, open: Vec::new() };
        copier.page(page)
    }
}

/// Copies objects from one file into another.
pub(super) struct Copier<'a> {
    pdf: &'a Pdf,
    file: &'a mut PdfFile,
    copied: &'a mut HashMap<ObjRef, Ref>,
    budget: &'a mut Budget,
    /// Objects that have a number but are not written yet.
    open: Vec<(ObjRef, Ref)>,
}

impl Copier<'_> {
    fn page(&mut self, page: &Page<'_>) -> io::Result<Result<Form, Remark>> {
        let inner = self.file.reserve();
        let Some(chunk) = self.inner_form(page, inner) else {
            return Ok(Err("The content of the page is damaged or too large.".to_owned()));
        };
        self.file.put_chunk(inner, &chunk)?;
        drop(chunk);
        let notes = annotations::of(self, page);
        self.copy_open()?;

        let (width, height) = page.render_dimensions();
        let turn = page.initial_transform(false).as_coeffs().map(|part| part as f32);
        let mut outer = Content::with_settings(Settings { pretty: false });
        // The form becomes one unit wide and high, so that it is placed like an image.
        outer.transform([1.0 / width, 0.0, 0.0, 1.0 / height, 0.0, 0.0]).transform(turn);
        outer.save_state().x_object(Name(b"P")).restore_state();
        let names: Vec<String> = (0..notes.len()).map(|index| format!("A{index}")).collect();
        for (note, name) in notes.iter().zip(&names) {
            outer.save_state().transform(note.matrix).x_object(Name(name.as_bytes())).restore_state();
        }
        let outer = compress(&outer.finish())?;
        let id = self.file.reserve();
        self.file.put(id, |chunk, id| {
            let mut form = chunk.form_xobject(id, &outer);
            form.filter(pdf_writer::Filter::FlateDecode);
            form.bbox(Rect::new(0.0, 0.0, 1.0, 1.0));
            let mut resources = form.resources();
            let mut objects = resources.x_objects();
            objects.pair(Name(b"P"), inner);
            objects.pairs(notes.iter().zip(&names).map(|(note, name)| (Name(name.as_bytes()), note.id)));
        })?;
        Ok(Ok(Form { id, width, height }))
    }

    /// What the page draws, in its own coordinates.
    fn inner_form(&mut self, page: &Page<'_>, id: Ref) -> Option<Chunk> {
        let mut chunk = new_chunk();
        let raw = page.raw();
        let single = raw.get::<Stream<'_>>(keys::CONTENTS);
        let data = match &single {
            Some(stream) => stream.raw_data(),
            None => joined(raw.get::<Array<'_>>(keys::CONTENTS), self.budget)?.into(),
        };
        {
            let mut form = chunk.form_xobject(id, &data);
            let bounds = page.intersected_crop_box();
            form.bbox(Rect::new(bounds.x0 as f32, bounds.y0 as f32, bounds.x1 as f32, bounds.y1 as f32));
            let dict: &mut pdf_writer::Dict<'_> = form.deref_mut().deref_mut();
            match &single {
                Some(stream) => self.filters(stream, dict),
                None => dict.pair(Name(b"Filter"), Name(b"FlateDecode")),
            };
            self.resources(page.resources(), dict.insert(Name(b"Resources")).dict());
            if let Some(group) = raw.get_raw::<Object<'_>>(keys::GROUP) {
                self.value(&group, dict.insert(Name(b"Group")));
            }
        }
        Some(chunk)
    }

    fn resources(&mut self, resources: &Resources<'_>, mut target: pdf_writer::Dict<'_>) {
        let kinds: [(&[u8], &Dict<'_>); 7] = [
            (keys::EXT_G_STATE, &resources.ext_g_states),
            (keys::FONT, &resources.fonts),
            (keys::PROPERTIES, &resources.properties),
            (keys::COLORSPACE, &resources.color_spaces),
            (keys::XOBJECT, &resources.x_objects),
            (keys::PATTERN, &resources.patterns),
            (keys::SHADING, &resources.shadings),
        ];
        for (name, kind) in kinds {
            if !kind.is_empty() {
                self.members(kind, &mut target.insert(Name(name)).dict(), &[]);
            }
        }
    }

    /// The number of an object in the new file; it is copied later.
    pub(super) fn number(&mut self, object: ObjRef) -> Ref {
        if let Some(id) = self.copied.get(&object) {
            return *id;
        }
        let id = self.file.reserve();
        self.copied.insert(object, id);
        self.open.push((object, id));
        id
    }

    fn copy_open(&mut self) -> io::Result<()> {
        let pdf = self.pdf;
        while let Some((object, id)) = self.open.pop() {
            let mut chunk = new_chunk();
            match pdf.xref().get::<Object<'_>>(object.into()) {
                Some(Object::Stream(stream)) => self.stream(&stream, &mut chunk, id),
                Some(other) => self.direct(&other, chunk.indirect(id)),
                None => chunk.indirect(id).primitive(pdf_writer::Null),
            }
            self.file.put_chunk(id, &chunk)?;
        }
        Ok(())
    }

    fn stream(&mut self, stream: &Stream<'_>, chunk: &mut Chunk, id: Ref) {
        let data = stream.raw_data();
        let mut target = chunk.stream(id, &data);
        self.filters(stream, &mut target);
        self.members(stream.dict(), &mut target, &[keys::LENGTH, keys::FILTER, keys::DECODE_PARMS]);
    }

    /// How the data of a stream are encoded. They were decrypted, so a filter for that is left out.
    fn filters<'d, 'o>(
        &mut self,
        stream: &Stream<'_>,
        target: &'d mut pdf_writer::Dict<'o>,
    ) -> &'d mut pdf_writer::Dict<'o> {
        let skipped = usize::from(stream.filters().first() == Some(&Filter::Crypt));
        for key in [keys::FILTER, keys::DECODE_PARMS] {
            if let Some(list) = stream.dict().get::<Array<'_>>(key) {
                let mut array = target.insert(Name(key)).array();
                for item in list.raw_iter().skip(skipped) {
                    self.value(&item, array.push());
                }
            } else if let Some(single) = stream.dict().get_raw::<Object<'_>>(key).filter(|_| skipped == 0) {
                self.value(&single, target.insert(Name(key)));
            }
        }
        target
    }

    fn members(&mut self, source: &Dict<'_>, target: &mut pdf_writer::Dict<'_>, skipped: &[&[u8]]) {
        for (name, value) in source.entries() {
            let name: &[u8] = &name;
            if !LEFT_OUT.contains(&name) && !skipped.contains(&name) {
                self.value(&value, target.insert(Name(name)));
            }
        }
    }

    fn value(&mut self, value: &MaybeRef<Object<'_>>, target: Obj<'_>) {
        match value {
            MaybeRef::Ref(object) => target.primitive(self.number(*object)),
            MaybeRef::NotRef(object) => self.direct(object, target),
        }
    }

    /// Copies an object that stands in another. The reader bounds how deeply they are nested.
    fn direct(&mut self, object: &Object<'_>, target: Obj<'_>) {
        match object {
            Object::Null(_) => target.primitive(pdf_writer::Null),
            Object::Boolean(value) => target.primitive(*value),
            Object::Number(number) => {
                let value = number.as_f64();
                if value.fract() == 0.0 { target.primitive(value as i32) } else { target.primitive(value as f32) }
            }
            Object::String(text) => target.primitive(pdf_writer::Str(text.as_bytes())),
            Object::Name(name) => target.primitive(Name(name)),
            Object::Dict(dict) => self.members(dict, &mut target.dict(), &[]),
            Object::Array(array) => {
                let mut copy = target.array();
                for item in array.raw_iter() {
                    self.value(&item, copy.push());
                }
            }
            // A stream is an object of its own; where one stands inside another the file is broken.
            Object::Stream(_) => target.primitive(pdf_writer::Null),
        }
    }
}

/// The parts of a page's content as one stream.
fn joined(parts: Option<Array<'_>>, budget: &mut Budget) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    for part in parts.iter().flat_map(Array::iter::<Stream<'_>>) {
        let left = CONTENT_BYTES.checked_sub(whole.len() as u64)?;
        whole.extend_from_slice(&unfold::content(&part, left, budget)?);
        whole.push(b'\n');
    }
    compress(&whole).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::dhr::attachments::guarded;
    use crate::dhr::document::Document;
    use crate::dhr::layout::Layout;

    fn file() -> PdfFile {
        PdfFile::new(tempfile::tempfile().unwrap()).unwrap()
    }

    /// A PDF file of two pages: a record without a serial.
    fn sample() -> Vec<u8> {
        let document = Document::new(file(), "Maker".to_owned(), None, chrono::Utc::now()).unwrap();
        let mut layout = Layout::new(document);
        layout.begin_record("Title", "tag").unwrap();
        layout.note("Some words.").unwrap();
        layout.next_page().unwrap();
        let (mut file, _) = layout.document.finish("Sample").unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn import(bytes: Vec<u8>) -> Result<Vec<(f32, f32)>, Remark> {
        let mut target = file();
        let mut pdf = guarded(|| Ok(Imported::open(bytes))).unwrap()?;
        let mut sizes = Vec::new();
        for index in 0..pdf.page_count() {
            let form = guarded(|| pdf.page(&mut target, index)).unwrap()?;
            sizes.push((form.width.round(), form.height.round()));
        }
        Ok(sizes)
    }

    #[test]
    fn pages_keep_their_size() {
        assert_eq!(import(sample()), Ok(vec![(595.0, 842.0); 2]));
    }

    #[test]
    fn content_that_many_pages_share_is_unfolded_only_so_often() {
        let content = compress(&vec![b' '; 1_000_000]).unwrap();
        let mut pdf = pdf_writer::Pdf::new();
        let [catalog, tree, shared] = [1, 2, 3].map(Ref::new);
        let pages: Vec<Ref> = (4..10).map(Ref::new).collect();
        pdf.catalog(catalog).pages(tree);
        pdf.pages(tree).kids(pages.iter().copied()).count(6);
        pdf.stream(shared, &content).filter(pdf_writer::Filter::FlateDecode);
        for id in &pages {
            let mut page = pdf.page(*id);
            page.parent(tree).media_box(Rect::new(0.0, 0.0, 10.0, 10.0)).contents_array([shared]);
        }
        let mut imported = Imported::open(pdf.finish()).unwrap();
        imported.budget = Budget::of(3_500_000);
        let mut target = file();
        let shown = (0..6).filter(|index| imported.page(&mut target, *index).unwrap().is_ok()).count();
        assert_eq!(shown, 3);
    }

    #[test]
    fn damaged_files_never_stop_the_record() {
        let whole = sample();
        for at in (0..whole.len()).step_by(97) {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            drop(import(changed));
            drop(import(whole[..at].to_vec()));
        }
        assert!(import(Vec::new()).is_err());
        assert!(import(b"%PDF-1.7".to_vec()).is_err());
    }
}
