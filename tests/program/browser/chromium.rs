//! A browser without a window, told what to do by its own protocol (Chrome DevTools Protocol over a web socket).

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test waits for a browser")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Names under which browsers are installed; `TERRANE_BROWSER` comes first.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Software WebGL; no sandbox, for tests run as root in containers; nothing that talks to the net by itself.
const FLAGS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-port=0",
];

/// A browser that is installed; none where `TERRANE_BROWSER` is empty.
pub fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("TERRANE_BROWSER").map(PathBuf::from);
    if named.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        return None;
    }
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    named.into_iter().chain(found).find(|path| path.is_file())
}

/// What a page's console and the net said.
#[derive(Debug, Default)]
pub struct Heard {
    /// Errors and exceptions.
    pub errors: Vec<String>,
    /// Addresses that were asked for.
    pub urls: Vec<String>,
    /// Statuses from 400 on, with their addresses.
    pub failed: Vec<String>,
}

/// A page in a browser of its own, which ends with it.
pub struct Page {
    process: Child,
    socket: WebSocket<TcpStream>,
    calls: u64,
    /// What was heard so far.
    pub heard: Heard,
    _profile: TempDir,
}

impl Page {
    /// Starts a browser with an empty page of this size.
    pub fn open(browser: &Path, (width, height): (u32, u32)) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut process = Command::new(browser)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let says = BufReader::new(process.stderr.take().expect("it is piped"));
        let mut lines = says.lines().map_while(Result::ok);
        let port = lines.find_map(|l| port_of(&l)).expect("the browser says where it listens");
        // what else it says is not for us, but somebody has to listen
        std::thread::spawn(move || lines.for_each(drop));
        let socket = connect(port);
        let mut page = Self { process, socket, calls: 0, heard: Heard::default(), _profile: profile };
        for domain in ["Page", "Runtime", "Network", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        page.call("Emulation.setDeviceMetricsOverride", size);
        page
    }

    /// Goes to an address.
    pub fn go(&mut self, url: &str) {
        // a change of what stands behind # alone would load nothing
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// The value of an expression of the page's language; promises are waited for.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str, limit: Duration) {
        let start = Instant::now();
        while self.value(expression) != Value::Bool(true) {
            let heard = &self.heard;
            assert!(start.elapsed() < limit, "after {limit:?} not yet: {expression}; heard {heard:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Clicks at a place of the page.
    pub fn click(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": key }));
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// A picture of the page as the bytes of a PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        base64(answer["data"].as_str().expect("a picture is a text"))
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let text = json!({ "id": id, "method": method, "params": params }).to_string();
        self.socket.send(Message::text(text)).expect("the browser listens");
        loop {
            let message = self.socket.read().unwrap_or_else(|e| panic!("{method}: {e}"));
            let Ok(text) = message.to_text() else { continue };
            let Ok(message) = serde_json::from_str::<Value>(text) else { continue };
            if message["id"] == json!(id) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.hear(&message);
        }
    }

    /// Notes what the page says by itself.
    fn hear(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.heard.errors.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                self.heard.errors.push(params["args"].to_string());
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                self.heard.errors.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                self.heard.urls.push(params["request"]["url"].as_str().unwrap_or_default().into());
            }
            "Network.responseReceived" => {
                let (status, url) = (&params["response"]["status"], &params["response"]["url"]);
                if status.as_f64().unwrap_or_default() >= 400.0 {
                    self.heard.failed.push(format!("{status} {url}"));
                }
            }
            _ => {}
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The port of a line such as `DevTools listening on ws://127.0.0.1:41573/devtools/browser/...`.
fn port_of(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("ws://127.0.0.1:")?;
    rest.split('/').next()?.parse().ok()
}

/// The socket of the browser's first page.
fn connect(port: u16) -> WebSocket<TcpStream> {
    let start = Instant::now();
    loop {
        let pages: Vec<Value> = serde_json::from_str(&super::get(port, "/json/list").1).unwrap_or_default();
        let page = pages.iter().find(|p| p["type"] == "page");
        if let Some(url) = page.and_then(|p| p["webSocketDebuggerUrl"].as_str()) {
            let stream = TcpStream::connect(("127.0.0.1", port)).expect("the browser listens");
            stream.set_read_timeout(Some(Duration::from_secs(180))).expect("a time is set");
            return tungstenite::client(url, stream).expect("the browser shakes hands").0;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "the browser opens no page: {pages:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&c| c != b'=').map(digit).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().fold(0u32, |all, &d| all << 6 | u32::from(d)) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}

#[test]
fn base_64_is_read() {
    assert_eq!(base64("aGVsbG8="), b"hello");
    assert_eq!(base64("aGVsbG8h"), b"hello!");
    assert_eq!(base64("////"), [255; 3]);
}
