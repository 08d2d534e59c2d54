//! How much goes on at a time.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test tells how long an end took")]

use super::{Served, limits, run, toy};
use axum::http::StatusCode;
use serve::http::{Desk, Limits, Refusal, Server};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

fn nothing() -> Result<serve::http::Answer, Refusal> {
    Err(Refusal::Missing("nothing".into()))
}

#[test]
fn equal_requests_share_one_drawing() {
    let served = Arc::new(Served::new());
    run(async {
        let mut all = JoinSet::new();
        for _ in 0..40 {
            let served = served.clone();
            all.spawn(async move { served.get("/tiles/relief/4/3/5.png").await.body });
        }
        let bodies = all.join_all().await;
        assert!(bodies.iter().all(|b| *b == bodies[0] && !b.is_empty()));
    });
    let counts = served.desk.counts();
    assert_eq!(counts.drawn, 1, "{counts:?}");
    assert_eq!(counts.shared + counts.kept, 39, "{counts:?}");
}

#[test]
fn two_hundred_at_once_take_two_seats() {
    let served = Arc::new(Served::new());
    let mut statuses = run(async {
        let mut all = JoinSet::new();
        for k in 0..200u32 {
            let served = served.clone();
            let path = format!("/tiles/climate/5/{}/{}.png", k % 32, 8 + k / 32);
            all.spawn(async move { served.get(&path).await.status });
        }
        all.join_all().await
    });
    let counts = served.desk.counts();
    assert!(counts.most_at_once <= limits().seats as u64, "{counts:?}");
    assert_eq!(served.desk.open(), 0);
    statuses.sort();
    statuses.dedup();
    assert!(
        statuses.iter().all(|s| [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE].contains(s)),
        "{statuses:?}"
    );
    // two are drawn, 96 wait, whoever comes meanwhile is told to come again
    assert!(counts.drawn >= 98 && counts.drawn + counts.refused == 200, "{counts:?}");
    assert!(served.desk.bytes() <= limits().cache_bytes);
}

#[test]
fn a_full_queue_says_come_again() {
    let desk = Arc::new(Desk::new(Limits { seats: 1, queue: 2, ..limits() }));
    let gate = Arc::new(Barrier::new(2));
    run(async {
        let mut all = JoinSet::new();
        let inside = gate.clone();
        let held = desk.clone();
        all.spawn(async move {
            held.answer("slow".into(), move || {
                inside.wait();
                nothing()
            })
            .await
        });
        until(|| desk.counts().drawn == 1).await;
        for k in 0..2 {
            let desk = desk.clone();
            all.spawn(async move { desk.answer(format!("waits {k}"), nothing).await });
        }
        until(|| desk.open() == 3).await;
        assert_eq!(desk.answer("too many".into(), nothing).await, Err(Refusal::Busy));
        gate.wait();
        all.join_all().await;
    });
    assert_eq!((desk.counts().refused, desk.open()), (1, 0));
}

#[test]
fn what_nobody_waits_for_is_not_drawn() {
    let desk = Arc::new(Desk::new(Limits { seats: 1, ..limits() }));
    let gate = Arc::new(Barrier::new(2));
    let drawn = Arc::new(AtomicUsize::new(0));
    run(async {
        let inside = gate.clone();
        let held = desk.clone();
        let first = tokio::spawn(async move {
            held.answer("slow".into(), move || {
                inside.wait();
                nothing()
            })
            .await
        });
        until(|| desk.counts().drawn == 1).await;
        let waiting: Vec<_> = (0..20)
            .map(|k| {
                let (desk, drawn) = (desk.clone(), drawn.clone());
                let draw = move || {
                    drawn.fetch_add(1, Ordering::SeqCst);
                    nothing()
                };
                tokio::spawn(async move { desk.answer(format!("waits {k}"), draw).await })
            })
            .collect();
        until(|| desk.open() == 21).await;
        waiting.iter().take(19).for_each(tokio::task::JoinHandle::abort);
        until(|| desk.open() == 2).await;
        gate.wait();
        let _ = first.await;
        for one in waiting {
            let _ = one.await;
        }
    });
    assert_eq!(drawn.load(Ordering::SeqCst), 1, "only the one that somebody still waits for");
    assert_eq!((desk.counts().dropped, desk.open()), (19, 0));
}

#[test]
fn a_fault_in_a_drawing_takes_no_seat_along() {
    let served = Served::with(Limits { seats: 1, ..limits() });
    for _ in 0..3 {
        let answered = run(served.get("/api/place?lon=13&lat=13"));
        assert_eq!(answered.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(answered.text().contains("fault of the program"), "{}", answered.text());
    }
    assert_eq!(run(served.get("/api/place?lon=14&lat=13")).status, StatusCode::OK);
}

#[test]
fn nobody_waits_for_ever() {
    let desk = Arc::new(Desk::new(Limits { patience: Duration::from_millis(50), ..limits() }));
    let slow = || {
        std::thread::sleep(Duration::from_millis(400));
        nothing()
    };
    assert_eq!(run(desk.answer("slow".into(), slow)), Err(Refusal::Late { seconds: 0 }));
}

async fn until(holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to that");
}

/// Sends bytes to a server and reads what it answers until it hangs up.
async fn exchange(place: std::net::SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(place).await.expect("it listens");
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into()
}

#[test]
fn connections_are_served_within_limits_and_end() {
    run(async {
        let server = Server::bind(0, limits()).await.expect("a free port");
        let place = server.place();
        assert!(place.ip().is_loopback());
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(server.run(toy::planet(), async {
            let _ = ended.await;
        }));
        let close = "Connection: close\r\n\r\n";
        let sound = format!("GET /api/world HTTP/1.1\r\nHost: localhost\r\n{close}");
        assert!(exchange(place, sound.as_bytes()).await.starts_with("HTTP/1.1 200"));
        let many: String = (0..80).map(|k| format!("x-{k}: 1\r\n")).collect();
        let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}{close}");
        assert!(exchange(place, many.as_bytes()).await.starts_with("HTTP/1.1 431"));
        let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nx: {}\r\n{close}", "y".repeat(1 << 20));
        assert!(!exchange(place, long.as_bytes()).await.contains(" 200 "));
        assert!(!exchange(place, b"\x16\x03\x01 this is not HTTP\r\n\r\n").await.contains(" 200 "));
        // somebody who says nothing does not keep it from ending
        let idle = TcpStream::connect(place).await.expect("it listens");
        let start = Instant::now();
        end.send(()).expect("it runs");
        running.await.expect("it ends without a fault");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(TcpStream::connect(place).await.is_err(), "it listens no more");
        drop(idle);
    });
}
