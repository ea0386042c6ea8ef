//! Colours, and what stands for them where there are none.

use ggufkit::check::Severity;
use ggufkit::inspect::hex::Kind;
use ratatui::style::{Color, Modifier, Style};

/// How things look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    /// Whether there are colours.
    pub(crate) colour: bool,
}

impl Theme {
    fn ink(self, colour: Color, without: Modifier) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new().add_modifier(without) }
    }

    /// What may be overlooked.
    pub(crate) fn faint(self) -> Style {
        if self.colour { Style::new().fg(Color::DarkGray) } else { Style::new() }
    }

    /// Names: keys, tensors.
    pub(crate) fn name(self) -> Style {
        self.ink(Color::Cyan, Modifier::empty())
    }

    /// Groups, and the words before values.
    pub(crate) fn group(self) -> Style {
        self.ink(Color::Yellow, Modifier::BOLD).add_modifier(Modifier::BOLD)
    }

    /// The row that is selected: seen without colours, too.
    pub(crate) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A find, a mode, a pane that is open.
    pub(crate) fn mark(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// How bad something is.
    pub(crate) fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.ink(Color::Red, Modifier::BOLD),
            Severity::Warning => self.ink(Color::Yellow, Modifier::UNDERLINED),
            Severity::Note => self.ink(Color::Blue, Modifier::empty()),
        }
    }

    /// The bytes of a field.
    pub(crate) fn bytes(self, kind: Kind) -> Style {
        match kind {
            Kind::Magic | Kind::Version | Kind::Alignment => self.ink(Color::Magenta, Modifier::BOLD),
            Kind::Count | Kind::Length | Kind::Nul => self.ink(Color::Yellow, Modifier::empty()),
            Kind::Key | Kind::Name => self.ink(Color::Cyan, Modifier::BOLD),
            Kind::Text | Kind::Elements => self.ink(Color::Green, Modifier::empty()),
            Kind::Type => self.ink(Color::Blue, Modifier::UNDERLINED),
            Kind::Number | Kind::Dim | Kind::Offset => self.ink(Color::White, Modifier::empty()),
            Kind::Padding => self.faint(),
            Kind::Unparsed => self.ink(Color::Red, Modifier::UNDERLINED),
        }
    }
}
