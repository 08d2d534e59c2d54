//! A file is there whole, or the old one still is.

use std::fs::{read, read_dir, write};
use std::io::Write;

use formats::atomic;

#[test]
fn a_failing_writer_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    write(&path, b"old").unwrap();
    let failed = atomic(&path, |out| {
        out.write_all(&vec![b'n'; 1 << 20])?;
        assert_eq!(read(&path)?, b"old", "seen before it is complete");
        Err("the pen broke".into())
    });
    let text = failed.unwrap_err().to_string();
    assert!(text.contains("a.txt") && text.contains("the pen broke"), "{text}");
    assert_eq!(read(&path).unwrap(), b"old");
    assert_eq!(read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_good_writer_replaces_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    for text in ["first", "second"] {
        atomic(&path, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
        assert_eq!(read(&path).unwrap(), text.as_bytes());
        assert_eq!(read_dir(dir.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_missing_folder_and_a_folder_in_the_way_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = atomic(&dir.path().join("no/such/a.txt"), |_| Ok(())).unwrap_err().to_string();
    assert!(missing.contains("there is no folder"), "{missing}");
    let folder = atomic(dir.path(), |_| Ok(())).unwrap_err().to_string();
    assert!(folder.contains("it is a folder"), "{folder}");
}

#[cfg(unix)]
#[test]
fn others_may_read_the_file_as_the_umask_allows() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (ours, plain) = (dir.path().join("ours"), dir.path().join("plain"));
    atomic(&ours, |_| Ok(())).unwrap();
    write(&plain, b"").unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(ours), mode(plain));
}
