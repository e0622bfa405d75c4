//! Images as they go into the record.

use std::io::{self, Cursor};

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};
use pdf_writer::{Filter, Name, Ref};

use super::file::{PdfFile, compress};

/// Photographs up to this size are embedded as they are.
const SMALL_ENOUGH: usize = 1_500_000;
/// The longer side of an image that had to be decoded, in pixels: 250 to the inch on A4.
const LONGEST_SIDE: u32 = 2600;
/// An image that needs more memory than this is not decoded.
const DECODED_BYTES: u64 = 112 * 1024 * 1024;
/// A decoded image that does not compress to less than this is a photograph.
const PHOTOGRAPH: usize = 900_000;
const JPEG_QUALITY: u8 = 85;

/// An image in the file.
pub(super) struct Picture {
    pub id: Ref,
    /// As it is to be seen.
    pub width: f32,
    pub height: f32,
    /// Takes the stored image upright into the unit square.
    pub upright: [f32; 6],
}

/// Why an image is not shown.
pub(super) type Remark = String;

enum Stored {
    Jpeg { bytes: Vec<u8>, is_gray: bool },
    Samples { compressed: Vec<u8>, is_gray: bool },
}

impl Picture {
    /// Puts an image into the file. The inner error says why it cannot be shown, the outer that nothing can be written.
    pub(super) fn embed(file: &mut PdfFile, bytes: Vec<u8>) -> io::Result<Result<Self, Remark>> {
        let (stored, (width, height), orientation) = match prepare(bytes) {
            Ok(prepared) => prepared,
            Err(remark) => return Ok(Err(remark)),
        };
        let id = file.reserve();
        let (Stored::Jpeg { is_gray, .. } | Stored::Samples { is_gray, .. }) = stored;
        let (filter, data) = match &stored {
            Stored::Jpeg { bytes, .. } => (Filter::DctDecode, bytes),
            Stored::Samples { compressed, .. } => (Filter::FlateDecode, compressed),
        };
        file.put(id, |chunk, id| {
            let mut image = chunk.image_xobject(id, data);
            image.filter(filter);
            image.width(width as i32).height(height as i32).bits_per_component(8);
            image.color_space_name(Name(if is_gray { b"DeviceGray" } else { b"DeviceRGB" }));
        })?;
        let (upright, is_turned) = placement(orientation);
        let (width, height) = if is_turned { (height, width) } else { (width, height) };
        Ok(Ok(Self { id, width: width as f32, height: height as f32, upright }))
    }
}

type Prepared = (Stored, (u32, u32), Orientation);

fn prepare(bytes: Vec<u8>) -> Result<Prepared, Remark> {
    let damaged = |_| "The image is damaged or of an unknown kind.".to_owned();
    let jpeg = jpeg_frame(&bytes);
    let reader = ImageReader::new(Cursor::new(&bytes)).with_guessed_format().map_err(|error| error.to_string())?;
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err("The image is empty.".to_owned());
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let fits_in_memory = decoder.total_bytes() <= DECODED_BYTES;
    if let Some(components @ (1 | 3)) = jpeg
        && (bytes.len() <= SMALL_ENOUGH || !fits_in_memory)
    {
        drop(decoder);
        return Ok((Stored::Jpeg { is_gray: components == 1, bytes }, (width, height), orientation));
    }
    if !fits_in_memory {
        return Err(format!("The image is too large to be printed ({width} × {height} pixels)."));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_BYTES * 3 / 2);
    decoder.set_limits(limits).map_err(damaged)?;
    let image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    drop(bytes);
    let image = if width.max(height) > LONGEST_SIDE { image.thumbnail(LONGEST_SIDE, LONGEST_SIDE) } else { image };
    store(image).map(|(stored, size)| (stored, size, orientation)).map_err(|error| error.to_string())
}

/// Compresses pixels without loss or, where that does not help, as a photograph.
fn store(image: DynamicImage) -> image::ImageResult<(Stored, (u32, u32))> {
    let is_gray = !image.color().has_color() && !image.color().has_alpha();
    let image = if is_gray { DynamicImage::ImageLuma8(image.into_luma8()) } else { on_white(image) };
    let size = (image.width(), image.height());
    let compressed = compress(image.as_bytes())?;
    if compressed.len() <= PHOTOGRAPH {
        return Ok((Stored::Samples { compressed, is_gray }, size));
    }
    let mut bytes = Vec::new();
    image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))?;
    Ok((Stored::Jpeg { bytes, is_gray }, size))
}

/// Paper is white: what is transparent shows it.
fn on_white(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let rgba = image.into_rgba8();
    let (width, height) = rgba.dimensions();
    let blend = |part: u8, alpha: u8| {
        let (part, alpha) = (u16::from(part), u16::from(alpha));
        ((part * alpha + 255 * (255 - alpha)) / 255) as u8
    };
    let pixels = rgba.pixels().flat_map(|pixel| {
        let [red, green, blue, alpha] = pixel.0;
        [blend(red, alpha), blend(green, alpha), blend(blue, alpha)]
    });
    let flat = image::RgbImage::from_raw(width, height, pixels.collect()).unwrap_or_default();
    DynamicImage::ImageRgb8(flat)
}

/// The number of colour components of a JPEG file that is complete: it has a frame and an end.
fn jpeg_frame(bytes: &[u8]) -> Option<u8> {
    let end = bytes.iter().rposition(|byte| *byte != 0)?;
    if !bytes.starts_with(&[0xFF, 0xD8]) || bytes.get(end - 1..=end)? != [0xFF, 0xD9] {
        return None;
    }
    let mut at = 2;
    loop {
        let [0xFF, kind, high, low] = *bytes.get(at..at + 4)? else { return None };
        if kind == 0xFF {
            at += 1;
            continue;
        }
        // Frames of the kinds that every reader of PDF files knows: baseline, extended and progressive.
        if matches!(kind, 0xC0..=0xC2) {
            let is_eight_bit = bytes.get(at + 4) == Some(&8);
            return bytes.get(at + 9).copied().filter(|_| is_eight_bit);
        }
        if matches!(kind, 0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF | 0xDA) {
            return None;
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
}

/// The matrix for an orientation, and whether width and height change places.
fn placement(orientation: Orientation) -> ([f32; 6], bool) {
    match orientation {
        Orientation::NoTransforms => ([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], false),
        Orientation::Rotate90 => ([0.0, -1.0, 1.0, 0.0, 0.0, 1.0], true),
        Orientation::Rotate180 => ([-1.0, 0.0, 0.0, -1.0, 1.0, 1.0], false),
        Orientation::Rotate270 => ([0.0, 1.0, -1.0, 0.0, 1.0, 0.0], true),
        Orientation::FlipHorizontal => ([-1.0, 0.0, 0.0, 1.0, 1.0, 0.0], false),
        Orientation::FlipVertical => ([1.0, 0.0, 0.0, -1.0, 0.0, 1.0], false),
        Orientation::Rotate90FlipH => ([0.0, -1.0, -1.0, 0.0, 1.0, 1.0], true),
        Orientation::Rotate270FlipH => ([0.0, 1.0, 1.0, 0.0, 0.0, 0.0], true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageFormat, Rgba, RgbaImage};

    fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.into().write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn embed(bytes: Vec<u8>) -> Result<Picture, Remark> {
        let mut file = PdfFile::new(tempfile::tempfile().unwrap()).unwrap();
        Picture::embed(&mut file, bytes).unwrap()
    }

    /// A JPEG file as a camera that was held upright writes it.
    fn portrait() -> Vec<u8> {
        let mut bytes = encoded(image::RgbImage::new(40, 20), ImageFormat::Jpeg);
        let tag = b"\xFF\xE1\x00\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        bytes.splice(2..2, tag.iter().copied());
        bytes
    }

    #[test]
    fn a_photograph_stands_upright() {
        let picture = embed(portrait()).unwrap();
        assert_eq!((picture.width, picture.height), (20.0, 40.0));
        assert_eq!(picture.upright, placement(Orientation::Rotate90).0);
    }

    #[test]
    fn small_photographs_are_kept_as_they_are_and_large_images_shrink() {
        let bytes = portrait();
        let (stored, _, _) = prepare(bytes.clone()).unwrap();
        assert!(matches!(stored, Stored::Jpeg { bytes: kept, is_gray: false } if kept == bytes));
        let wide = encoded(image::GrayImage::new(5200, 100), ImageFormat::Png);
        let (stored, size, _) = prepare(wide).unwrap();
        assert!(matches!(stored, Stored::Samples { is_gray: true, .. }));
        assert_eq!(size, (2600, 50));
    }

    #[test]
    fn what_is_transparent_shows_the_paper() {
        let image = RgbaImage::from_pixel(1, 1, Rgba([0, 100, 200, 128]));
        assert_eq!(on_white(image.into()).as_bytes(), [127, 177, 227]);
    }

    #[test]
    fn an_image_that_would_fill_the_memory_is_refused_by_its_header() {
        let mut bytes = encoded(image::RgbImage::new(1, 1), ImageFormat::Png);
        bytes[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.sum().to_be_bytes());
        let remark = embed(bytes).err().unwrap();
        assert_eq!(remark, "The image is too large to be printed (30000 × 30000 pixels).");
    }

    #[test]
    fn damaged_images_of_every_kind_are_refused() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::Bmp, ImageFormat::WebP] {
            let bytes = encoded(image::RgbImage::new(30, 30), format);
            assert!(embed(bytes[..bytes.len() / 3].to_vec()).is_err(), "{format:?}");
            assert!(embed(bytes).is_ok(), "{format:?}");
        }
        assert!(embed(Vec::new()).is_err());
        assert!(embed(b"text".to_vec()).is_err());
    }
}
