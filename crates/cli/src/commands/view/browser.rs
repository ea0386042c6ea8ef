//! Opening the page in whatever browser the system has.

use std::process::{Command, Stdio};

/// Opens an address; what the browser says goes nowhere, and nobody waits for it.
///
/// # Errors
/// In words, why nothing was opened.
pub(super) fn open(url: &str) -> Result<(), String> {
    if cfg!(all(unix, not(target_vendor = "apple"))) {
        let there = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !there("DISPLAY") && !there("WAYLAND_DISPLAY") && !there("BROWSER") && !there("WSL_DISTRO_NAME") {
            return Err("there is no display".to_owned());
        }
    }
    let mut last = "nothing opens addresses here".to_owned();
    for (program, before) in programs() {
        let mut command = Command::new(program);
        command.args(*before).arg(url);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                // Some of them stay as long as the browser does.
                let _ = std::thread::Builder::new().spawn(move || child.wait());
                return Ok(());
            }
            Err(error) => last = format!("{program}: {error}"),
        }
    }
    Err(last)
}

/// What opens addresses, and what goes before the address.
const fn programs() -> &'static [(&'static str, &'static [&'static str])] {
    if cfg!(windows) {
        // Not `start`, which is a word of the shell and reads `&`.
        &[("rundll32", &["url.dll,FileProtocolHandler"])]
    } else if cfg!(target_vendor = "apple") {
        &[("open", &[])]
    } else {
        &[("xdg-open", &[]), ("gio", &["open"]), ("wslview", &[]), ("x-www-browser", &[])]
    }
}
