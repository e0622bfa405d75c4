//! How much memory a long device history record takes: the real program, apart from who asks for it.
#![cfg(target_os = "linux")]

use std::fs;

use image::ImageFormat;
use serde_json::{Value, json};
use tracewright_testkit::dhr::{bomb_pdf, files, image, pdf};
use tracewright_testkit::program::{ADMIN_PASSWORD, Program};

const PAGES: usize = 300;
/// Memory that the record may take beside what the service has anyway.
const MOST_KB: u64 = 128 * 1024;

/// A photograph that does not compress: about a byte for each pixel.
fn photograph(width: u32, height: u32) -> Vec<u8> {
    let mut state = 7_u32;
    let noise = image::RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        image::Rgb([a, b, c])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::ImageRgb8(noise).write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn a_record_of_300_pages_takes_less_than_128_mb() {
    let program = Program::new().freeing_at_once();
    let running = program.serve(&[]);
    let folder = program.folder().join("data/media/serial/s/f");
    fs::create_dir_all(&folder).unwrap();
    let attach = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let photo = photograph(1100, 900);
    let large = photograph(3000, 2200);
    let drawing = image(ImageFormat::Png, 3000, 2000);
    let sheets = vec!["Sheet"; 180];
    let mut names: Vec<String> = (0..70).map(|n| format!("photo-{n}.jpg")).collect();
    for name in &names {
        attach(name, &photo);
    }
    let small_files = [("sheets.pdf", &pdf(&sheets)), ("bomb.pdf", &bomb_pdf(1_000))];
    for (name, bytes) in [("large.jpg", &large), ("drawing.png", &drawing)].into_iter().chain(small_files) {
        attach(name, bytes);
        names.push(name.to_owned());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = |n: usize| json!({"label": format!("Measurement {n}"), "value": format!("{n} mm, within the limits of the drawing")});
    let mut data: Vec<Value> = (0..2400).map(row).collect();
    data.push(json!({"form_field_key": "f", "custom_field_key": "files", "label": "Files", "value": files(&names)}));
    for (collection, document) in [
        ("CustomField", json!({"_key": "files", "type": "files", "name": "Files"})),
        ("Serial", json!({"_key": "s", "code": "S", "data": data})),
    ] {
        running.engine("POST", &format!("/_api/document/{collection}"), Some(&document.to_string()));
    }
    let token = running.login("cadmin", ADMIN_PASSWORD).1["access_token"].as_str().unwrap().to_owned();

    running.forget_peak();
    let before = running.memory("VmHWM:");
    let request = reqwest::Client::new().get(running.url("/api/serial/s/dhr?include_attachments=true"));
    let mut response = request.bearer_auth(token).header("accept-encoding", "identity").send().await.unwrap();
    assert_eq!(response.status(), 200);
    // Every page has its own size; nothing else of the record has one.
    let page = regex::bytes::Regex::new("/MediaBox").unwrap();
    let (mut pages, mut size, mut rest) = (0, 0, Vec::new());
    while let Some(chunk) = response.chunk().await.unwrap() {
        size += chunk.len();
        rest.extend_from_slice(&chunk);
        pages += page.find_iter(&rest).count();
        rest.drain(..rest.len().saturating_sub("/MediaBo".len()));
    }
    let taken = running.peak_above(before);
    println!("{pages} pages, {} MB; before {before} KB, {taken} KB more", size / 1_000_000);
    assert!(pages >= PAGES, "{pages} pages");
    assert!(taken < MOST_KB, "{taken} KB");
}
