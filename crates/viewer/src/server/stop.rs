//! When the server ends.

use std::sync::Arc;

use tokio::sync::Notify;

/// What ends a server: whoever holds a copy, and (of [`Stop::with_system`]) the system.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    told: Arc<Notify>,
    system: bool,
}

impl Stop {
    /// Nothing but [`Stop::tell`] ends the server.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ctrl-C ends it too, and on Unix systems what ends programs otherwise: SIGTERM, the end of the terminal (SIGHUP), and
    /// the end of the program that started it.
    #[must_use]
    pub fn with_system(mut self) -> Self {
        self.system = true;
        self
    }

    /// Ends it.
    pub fn tell(&self) {
        self.told.notify_one();
    }

    pub(super) async fn told(self) {
        if !self.system {
            return self.told.notified().await;
        }
        tokio::select! {
            () = self.told.notified() => {}
            _ = tokio::signal::ctrl_c() => {}
            () = unix() => {}
        }
    }
}

#[cfg(unix)]
async fn unix() {
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    use tokio::signal::unix::{SignalKind, signal};

    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    };
    let parent = parent_id();
    let orphaned = async {
        while parent_id() == parent {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
        () = orphaned => {}
    }
}

#[cfg(not(unix))]
async fn unix() {
    std::future::pending().await
}
