//! The terminal: taken, and given back as it was, whatever happens.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ggufkit::check::{self, Options, Report, Subject};
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{LeaveAlternateScreen, disable_raw_mode};

use crate::action::{of_key, of_mouse};
use crate::explorer::{Explorer, Settings};
use crate::words;

/// How long a wait for a key is: after that it is looked whether somebody ended the program.
const WAIT: Duration = Duration::from_millis(250);
/// The same while what is wrong is being found out.
const SOON: Duration = Duration::from_millis(20);

/// Explores a model in the terminal until its user leaves, or a signal ends it. `changed` is asked again and again for the name of a
/// file that somebody has written to since it was opened.
///
/// # Errors
/// The terminal's.
pub fn explore(
    subject: &Subject<'_>,
    settings: Settings,
    changed: &dyn Fn() -> Option<String>,
) -> io::Result<()> {
    let ended = Arc::new(AtomicBool::new(false));
    let _signals = Signals::listen(&ended)?;
    let (result, judged) = std::thread::scope(|scope| {
        // From here on until it is given back the terminal is ours.
        let mut terminal = match take() {
            Ok(terminal) => terminal,
            Err(error) => return (give_back().and(Err(error)), None),
        };
        let (tell, told) = mpsc::channel();
        let judge = scope.spawn(move || {
            // Nobody may be there any more to be told.
            let _ = tell.send(check::check(subject, &Options::default(), None));
        });
        let ran = first(&mut terminal, settings).and_then(|()| {
            let mut explorer = Explorer::new(subject, settings);
            run(&mut explorer, &mut terminal, &ended, &told, changed)
        });
        // The terminal first: what is being judged still is waited for by nobody who looks at it.
        let restored = give_back();
        (ran.and(restored), Some(judge.join()))
    });
    if let Some(Err(panic)) = judged {
        std::panic::resume_unwind(panic);
    }
    result
}

/// Takes the terminal. A panic gives it back before it is told: that of whoever looks at it, which ends the program. Others are
/// told when the terminal is free: here nobody could read them.
fn take() -> io::Result<ratatui::DefaultTerminal> {
    let terminal = ratatui::try_init()?;
    let (restoring, own) = (std::panic::take_hook(), std::thread::current().id());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != own && TAKEN.load(Ordering::Relaxed) {
            return;
        }
        if TAKEN.swap(false, Ordering::Relaxed) {
            let _ = execute!(io::stdout(), DisableMouseCapture);
        }
        restoring(panic);
    }));
    TAKEN.store(true, Ordering::Relaxed);
    execute!(io::stdout(), EnableMouseCapture)?;
    Ok(terminal)
}

/// Gives the terminal back as it was: whoever calls this, and whatever the thread that draws is doing.
fn give_back() -> io::Result<()> {
    TAKEN.store(false, Ordering::Relaxed);
    let modes = disable_raw_mode();
    let screen = output().and_then(|mut out| execute!(out, DisableMouseCapture, LeaveAlternateScreen, Show));
    modes.and(screen)
}

/// Standard output past the lock of the standard library, which whoever draws may hold for good.
#[cfg(unix)]
fn output() -> io::Result<impl io::Write> {
    use std::os::fd::AsFd as _;
    Ok(std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn output() -> io::Result<impl io::Write> {
    Ok(io::stdout())
}

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What is seen before there is something to see: of a model with very many keys the tree takes its time.
fn first(terminal: &mut ratatui::DefaultTerminal, settings: Settings) -> io::Result<()> {
    let text = words::READING.get(settings.lang);
    terminal.draw(|frame| frame.render_widget(text, frame.area())).map(|_| ())
}

fn run(
    explorer: &mut Explorer<'_>,
    terminal: &mut ratatui::DefaultTerminal,
    ended: &AtomicBool,
    told: &mpsc::Receiver<Report>,
    outdated: &dyn Fn() -> Option<String>,
) -> io::Result<()> {
    let (mut changed, mut judging) = (true, true);
    let mut is_outdated = false;
    while !explorer.is_done() && !ended.load(Ordering::Relaxed) {
        if judging {
            match told.try_recv() {
                Ok(report) => {
                    explorer.judged(report);
                    (changed, judging) = (true, false);
                }
                Err(mpsc::TryRecvError::Empty) => {}
                // It panicked, which is told when the terminal is free.
                Err(mpsc::TryRecvError::Disconnected) => return Ok(()),
            }
        }
        if !is_outdated && let Some(name) = outdated() {
            explorer.changed(&name);
            (changed, is_outdated) = (true, true);
        }
        if changed {
            terminal.draw(|frame| explorer.draw(frame))?;
            changed = false;
        }
        if let Some(sequence) = explorer.take_copied() {
            let mut out = io::stdout();
            out.write_all(sequence.as_bytes())?;
            out.flush()?;
        }
        let wait = match (explorer.is_busy(), judging) {
            (true, _) => Duration::ZERO,
            (false, true) => SOON,
            (false, false) => WAIT,
        };
        if !event::poll(wait)? {
            if explorer.is_busy() {
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

/// Signals that end the program end it through the door, and so does a terminal that goes away without one: whoever waits for
/// keys would read its end over and over.
struct Signals {
    #[cfg(unix)]
    handle: signal_hook::iterator::Handle,
    /// Whether nobody has to watch the terminal any more.
    #[cfg(unix)]
    over: Arc<AtomicBool>,
}

/// How long the loop has to see that it is over. Where the terminal is gone, waiting for a key may never end.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// Has the loop end, and ends the program where that does not.
#[cfg(unix)]
fn end(ended: &AtomicBool) {
    ended.store(true, Ordering::Relaxed);
    std::thread::sleep(PATIENCE);
    let _ = give_back();
    std::process::exit(0);
}

/// Waits until the terminal is hung up, which standard output is (input may be a pipe that ended); false where that cannot be told, or nobody has to know any more.
#[cfg(unix)]
fn is_gone(over: &AtomicBool) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let output = io::stdout();
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    while !over.load(Ordering::Relaxed) {
        // Nothing is asked for: that it is hung up is told in any case.
        let mut watched = [PollFd::new(&output, PollFlags::empty())];
        match poll(&mut watched, Some(&second)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => {
                return watched.iter().any(|one| one.revents().intersects(PollFlags::HUP | PollFlags::ERR));
            }
            Err(_) => return false,
        }
    }
    false
}

impl Signals {
    #[cfg(unix)]
    fn listen(ended: &Arc<AtomicBool>) -> io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let handle = signals.handle();
        let over = Arc::new(AtomicBool::new(false));
        let (told, watched) = (Arc::clone(ended), Arc::clone(ended));
        std::thread::Builder::new().spawn(move || {
            if signals.forever().next().is_some() {
                end(&told);
            }
        })?;
        let left = Arc::clone(&over);
        std::thread::Builder::new().spawn(move || {
            if is_gone(&left) {
                end(&watched);
            }
        })?;
        Ok(Self { handle, over })
    }

    #[cfg(not(unix))]
    fn listen(_: &Arc<AtomicBool>) -> io::Result<Self> {
        Ok(Self {})
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.handle.close();
    }
}
