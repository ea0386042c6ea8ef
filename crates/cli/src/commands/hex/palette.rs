//! Colours of bytes. The sixteen colours of the terminal's own theme, so that they hold on dark and on light; black,
//! white and plain blue are left out, since one of the grounds swallows them.

use anstyle::{AnsiColor, Color, Style};
use ggufkit::format::spec::PartRole;
use ggufkit::inspect::hex::Kind;

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

/// The colour of a field of the head.
pub(super) const fn of_kind(kind: Kind) -> Style {
    match kind {
        Kind::Magic | Kind::Version => Style::new().bold(),
        Kind::Count | Kind::Length | Kind::Offset => color(AnsiColor::BrightBlue),
        Kind::Key | Kind::Name => color(AnsiColor::Cyan),
        Kind::Text => color(AnsiColor::Green),
        Kind::Type => color(AnsiColor::Magenta),
        Kind::Number | Kind::Dim | Kind::Alignment => color(AnsiColor::Yellow),
        Kind::Elements | Kind::Nul | Kind::Padding => Style::new().dimmed(),
        Kind::Unparsed => color(AnsiColor::Red),
    }
}

/// The colour of a member of a block.
pub(super) const fn of_role(role: PartRole) -> Style {
    match role {
        PartRole::Value => color(AnsiColor::Yellow),
        PartRole::Scale => color(AnsiColor::Magenta).bold(),
        PartRole::Min => color(AnsiColor::Cyan).bold(),
        PartRole::Scales => color(AnsiColor::Magenta),
        PartRole::Quants => color(AnsiColor::Green),
        PartRole::HighBits => color(AnsiColor::BrightBlue),
        PartRole::Signs => color(AnsiColor::Red),
        PartRole::Sums => Style::new().dimmed(),
    }
}

/// What may be overlooked.
pub(super) const FAINT: Style = Style::new().dimmed();
