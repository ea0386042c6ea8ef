//! The terminal: taken, and given back as it was, whatever happens.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ggufkit::check::Subject;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use ratatui::crossterm::execute;

use crate::action::{of_key, of_mouse};
use crate::explorer::{Explorer, Settings};

/// How long a wait for a key is: after that it is looked whether somebody ended the program.
const WAIT: Duration = Duration::from_millis(250);

/// Explores a model in the terminal until its user leaves, or a signal ends it.
///
/// # Errors
/// The terminal's.
pub fn explore(subject: &Subject<'_>, settings: Settings) -> io::Result<()> {
    let mut explorer = Explorer::new(subject, settings);
    let ended = Arc::new(AtomicBool::new(false));
    let _signals = Signals::listen(&ended)?;
    // From here on until `restore` the terminal is ours; a panic gives it back before it is told.
    let mut terminal = ratatui::try_init()?;
    let ran =
        execute!(io::stdout(), EnableMouseCapture).and_then(|()| run(&mut explorer, &mut terminal, &ended));
    let mouse = execute!(io::stdout(), DisableMouseCapture);
    let restored = ratatui::try_restore();
    ran.and(mouse).and(restored)
}

fn run(
    explorer: &mut Explorer<'_>,
    terminal: &mut ratatui::DefaultTerminal,
    ended: &AtomicBool,
) -> io::Result<()> {
    let mut changed = true;
    while !explorer.is_done() && !ended.load(Ordering::Relaxed) {
        if changed {
            terminal.draw(|frame| explorer.draw(frame))?;
            changed = false;
        }
        if let Some(sequence) = explorer.take_copied() {
            let mut out = io::stdout();
            out.write_all(sequence.as_bytes())?;
            out.flush()?;
        }
        let busy = explorer.is_busy();
        if !event::poll(if busy { Duration::ZERO } else { WAIT })? {
            if busy {
                explorer.work();
                changed = !explorer.is_busy();
            }
            continue;
        }
        let action = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key, explorer.is_asking()),
            Event::Mouse(mouse) => of_mouse(mouse),
            Event::Paste(_) | Event::FocusGained | Event::FocusLost | Event::Key(_) => continue,
            Event::Resize(..) => None,
        };
        if let Some(action) = action {
            explorer.act(action);
        }
        changed = true;
    }
    Ok(())
}

/// Signals that end the program end it through the door.
struct Signals {
    #[cfg(unix)]
    handle: signal_hook::iterator::Handle,
}

/// How long the loop has to see that it is over. Where the terminal is gone, waiting for a key may never end.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

impl Signals {
    #[cfg(unix)]
    fn listen(ended: &Arc<AtomicBool>) -> io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let (handle, ended) = (signals.handle(), Arc::clone(ended));
        std::thread::Builder::new().spawn(move || {
            if signals.forever().next().is_some() {
                ended.store(true, Ordering::Relaxed);
                std::thread::sleep(PATIENCE);
                let _ = ratatui::try_restore();
                std::process::exit(0);
            }
        })?;
        Ok(Self { handle })
    }

    #[cfg(not(unix))]
    fn listen(_: &Arc<AtomicBool>) -> io::Result<Self> {
        Ok(Self {})
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
    }
}
