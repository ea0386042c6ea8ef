//! How a plan is carried out over the very file that it is made from: the way that costs least.
//!
//! In the order of what they cost: nothing to do; patches in place; blocks moved by the file system; a new file beside it
//! that shares the blocks of the old one; a new file that is copied. The last two give the new file the old one's name when
//! it is whole.

use std::fmt;
use std::io;

use ggufkit_format::{InPlace, Plan, ReadAt as _};

use crate::file::FileSource;
use crate::inplace::{self, Held, InPlaceError};
use crate::joined::Files;
use crate::platform;
use crate::sink::{self, SinkError};

/// Bytes that are written or lost in place at most; what changes more is written beside the file.
const MOST: u64 = 256 << 20;

/// A file below this length, or so much of one, is rather written anew than its blocks are moved.
const SMALL: u64 = 1 << 20;

/// A way to carry out a plan over its source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Way {
    /// The file is what it is to be.
    Nothing,
    /// Bytes are written over others.
    Patch,
    /// The file system puts blocks in or takes them out, and bytes are written over others.
    Move,
    /// A new file that shares what it can with the old one.
    Share,
    /// A new file that is copied.
    Copy,
}

impl Way {
    /// A stable word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Patch => "patch",
            Self::Move => "move",
            Self::Share => "share",
            Self::Copy => "copy",
        }
    }

    /// Whether the file stays the same file.
    #[must_use]
    pub const fn is_in_place(self) -> bool {
        matches!(self, Self::Nothing | Self::Patch | Self::Move)
    }

    /// Whether [`inplace::undo`] can take back what was done this way: a new file leaves nothing of the old one.
    #[must_use]
    pub const fn can_be_undone(self) -> bool {
        matches!(self, Self::Patch | Self::Move)
    }
}

/// What it takes to carry out a plan over its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// The way.
    pub way: Way,
    /// Bytes that are written to the file, or to a new one.
    pub written: u64,
    /// Bytes that the file system moves without touching them.
    pub moved: u64,
    /// Bytes that are kept beside the file until the change is done, and then for taking it back.
    pub kept: u64,
    /// What this change has in common with others that are made with it.
    pub call: inplace::Call,
    how: Option<InPlace>,
}

impl Route {
    /// The blocks by which the file system of `source` moves or shares bytes; `None` where it does neither,
    /// and for a small file, which is rather written anew.
    #[must_use]
    pub fn block(source: &FileSource) -> Option<u64> {
        if source.size().is_none_or(|size| size < SMALL) {
            return None;
        }
        inplace::block_size(source).or_else(|| platform::shares_blocks(source.file()).then_some(sink::SHARED))
    }

    /// The way that costs least; `in_place` permits those that change the file itself.
    ///
    /// # Errors
    /// The source's.
    pub fn choose(plan: &Plan, source: &FileSource, in_place: bool) -> io::Result<Self> {
        let size = source.size().unwrap_or(u64::MAX);
        let block = inplace::block_size(source).filter(|_| size >= SMALL);
        let mut how = None;
        for block in [block, None] {
            let found = plan.in_place(size, block, MOST.min(size.max(SMALL)));
            let found = found.map(|how| inplace::exact(&how, source)).transpose()?;
            // What is lost is written too, beside the file.
            let costs =
                |how: &InPlace| how.lost.iter().fold(how.written(), |sum, span| sum.saturating_add(span.len));
            how = found.filter(|how| costs(how) <= plan.len().max(SMALL));
            if how.is_some() || block.is_none() {
                break;
            }
        }
        if let Some(how) = how.filter(|how| in_place || (how.written() == 0 && how.len == size)) {
            let way = match how.shift {
                Some(_) => Way::Move,
                None if how.written() == 0 && how.len == size => Way::Nothing,
                None => Way::Patch,
            };
            return Ok(Self {
                way,
                written: how.written(),
                moved: how.moved(size),
                kept: how.lost.iter().fold(0, |sum, span| sum.saturating_add(span.len)),
                call: inplace::Call::of(1),
                how: Some(how),
            });
        }
        let shared = platform::shares_blocks(source.file());
        let (way, written, moved) = match shared {
            true => (Way::Share, plan.len().saturating_sub(plan.copied()), plan.copied()),
            false => (Way::Copy, plan.len(), 0),
        };
        Ok(Self { way, written, moved, kept: 0, call: inplace::Call::of(1), how: None })
    }

    /// Goes it. The value is the way that was gone in the end: where the file system cannot move the file's blocks after
    /// all, the file is copied.
    ///
    /// # Errors
    /// See [`RouteError`].
    pub fn go(
        &self,
        plan: &Plan,
        source: &FileSource,
        all_names: bool,
        watch: &mut sink::Watch<'_>,
    ) -> Result<Way, RouteError> {
        if let Some(how) = &self.how {
            if self.way == Way::Nothing {
                return Ok(Way::Nothing);
            }
            match inplace::change(how, source, all_names, self.call, &mut inplace::unwatched) {
                Ok(()) => return Ok(self.way),
                Err(InPlaceError::Unmovable(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        replace(plan, source, source, watch)?;
        Ok(if platform::shares_blocks(source.file()) { Way::Share } else { Way::Copy })
    }
}

/// Puts a new file in the place of an old one where that is what everybody expects: the old one is not marked read-only, has
/// no other names, and no change of it is under way, nor begins before the new one has its name. `source` is what the plan
/// copies from, `itself` the old file, whose owner, permissions and attributes the new one has as far as this process may
/// give them away.
///
/// # Errors
/// See [`RouteError`].
pub fn replace<S>(
    plan: &Plan,
    source: &S,
    itself: &FileSource,
    watch: &mut sink::Watch<'_>,
) -> Result<(), RouteError>
where
    S: Files + Sync + ?Sized,
{
    // A link to the file stays one.
    let path = &inplace::real(itself.path()).map_err(InPlaceError::at(itself.path()))?;
    let failed = InPlaceError::io(path, "look at");
    let held = Held::of(path)?;
    if inplace::is_pending(path).map_err(&failed)? {
        return Err(InPlaceError::Pending(path.to_owned()).into());
    }
    let metadata = itself.file().metadata().map_err(&failed)?;
    if metadata.permissions().readonly() {
        // A new file could be put in its place all the same; that is not what the mark asks for.
        return Err(InPlaceError::read_only(path).into());
    }
    let names = platform::names(&metadata);
    if names > 1 {
        return Err(InPlaceError::Linked { path: path.to_owned(), names }.into());
    }
    sink::replace_from(plan, source, itself, path, watch)?;
    drop(held);
    Ok(())
}

/// Whether the file that stands where `source` was opened belongs to whom that belongs, user and group.
///
/// # Errors
/// The system's.
pub fn is_owned_alike(source: &FileSource) -> io::Result<bool> {
    let (then, now) = (source.file().metadata()?, std::fs::metadata(source.path())?);
    Ok(platform::owners(&then) == platform::owners(&now))
}

/// Why a plan was not carried out over its source.
#[derive(Debug)]
#[non_exhaustive]
pub enum RouteError {
    /// The file was not changed in place.
    InPlace(InPlaceError),
    /// The new file was not written.
    Sink(SinkError),
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InPlace(error) => error.fmt(f),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RouteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InPlace(error) => error.source(),
            Self::Sink(error) => error.source(),
        }
    }
}

impl From<InPlaceError> for RouteError {
    fn from(error: InPlaceError) -> Self {
        Self::InPlace(error)
    }
}

impl From<SinkError> for RouteError {
    fn from(error: SinkError) -> Self {
        Self::Sink(error)
    }
}
