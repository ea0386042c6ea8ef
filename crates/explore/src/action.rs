//! What keys and the mouse mean.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::explorer::Pane;

/// Something that a person wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Rows down, or up where it is negative.
    Rows(i64),
    /// Pages down, or up where it is negative.
    Pages(i64),
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
    /// Into less: closes what is open; a byte back.
    Left,
    /// Into more: opens what is closed; a byte on.
    Right,
    /// The field after, or before where it is negative.
    Fields(i64),
    /// To the bytes of what is selected; of a group, opens or closes it.
    Enter,
    /// Back to where `Enter` came from.
    Back,
    /// A pane.
    Pane(Pane),
    /// The pane after, or before.
    Turn(i64),
    /// Another file of a set.
    File(i64),
    /// Asks for a text to look for.
    Search,
    /// Asks for a text that rows must have.
    Filter,
    /// Asks for a place to go to.
    Goto,
    /// The next find, or the one before where it is negative.
    Find(i64),
    /// Another order.
    Sort,
    /// Copies the value.
    Copy,
    /// Copies the path and the place.
    CopyPlace,
    /// Shows the keys, or hides them.
    Help,
    /// Rows of what is told of the selected row down, or up where it is negative.
    Told(i64),
    /// Shows all that is told of the selected row, or hides it.
    Whole,
    /// Shows what is lacking of the model, or hides it.
    State,
    /// The wheel over a cell of the screen: rows down, or up where it is negative.
    Wheel {
        /// Rows.
        by: i64,
        /// The column, from 0.
        column: u16,
        /// The row, from 0.
        row: u16,
    },
    /// Closes what stands over the panes; leaves where nothing does.
    Close,
    /// A character of the text that is asked for.
    Type(char),
    /// The last character of it goes.
    Erase,
    /// Ends what is asked for without doing it, closes what stands over the panes, or stops a search.
    Cancel,
    /// A cell of the screen.
    Click {
        /// The column, from 0.
        column: u16,
        /// The row, from 0.
        row: u16,
    },
    /// Leaves.
    Quit,
}

/// What a key means; `asked` is whether a text is being typed.
#[must_use]
pub fn of_key(key: KeyEvent, asked: bool) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('c') {
        return Some(if asked { Action::Cancel } else { Action::Quit });
    }
    if asked {
        return Some(match key.code {
            KeyCode::Enter => Action::Enter,
            KeyCode::Esc => Action::Cancel,
            KeyCode::Backspace => Action::Erase,
            KeyCode::Char('h') if control => Action::Erase,
            KeyCode::Char(typed) if !control => Action::Type(typed),
            _ => return None,
        });
    }
    Some(match (key.code, control) {
        (KeyCode::Char('d'), true) => Action::Pages(1),
        (KeyCode::Char('u'), true) => Action::Pages(-1),
        (KeyCode::Char('f'), true) | (KeyCode::PageDown | KeyCode::Char(' '), _) => Action::Pages(1),
        (KeyCode::Char('b'), true) | (KeyCode::PageUp, _) => Action::Pages(-1),
        (_, true) => return None,
        (KeyCode::Down, _) if key.modifiers.contains(KeyModifiers::SHIFT) => Action::Told(1),
        (KeyCode::Up, _) if key.modifiers.contains(KeyModifiers::SHIFT) => Action::Told(-1),
        (KeyCode::Char('J'), _) => Action::Told(1),
        (KeyCode::Char('K'), _) => Action::Told(-1),
        (KeyCode::Char('v'), _) => Action::Whole,
        (KeyCode::Char('!'), _) => Action::State,
        (KeyCode::Down | KeyCode::Char('j'), _) => Action::Rows(1),
        (KeyCode::Up | KeyCode::Char('k'), _) => Action::Rows(-1),
        (KeyCode::Left | KeyCode::Char('h'), _) => Action::Left,
        (KeyCode::Right | KeyCode::Char('l'), _) => Action::Right,
        (KeyCode::Home | KeyCode::Char('g'), _) => Action::Top,
        (KeyCode::End | KeyCode::Char('G'), _) => Action::Bottom,
        (KeyCode::Char('w'), _) => Action::Fields(1),
        (KeyCode::Char('b'), _) => Action::Fields(-1),
        (KeyCode::Enter, _) => Action::Enter,
        (KeyCode::Backspace | KeyCode::Char('u'), _) => Action::Back,
        (KeyCode::Tab, _) => Action::Turn(1),
        (KeyCode::BackTab, _) => Action::Turn(-1),
        (KeyCode::Char('1' | 't'), _) => Action::Pane(Pane::Tag),
        (KeyCode::Char('2'), _) => Action::Pane(Pane::Tensors),
        (KeyCode::Char('3' | 'x'), _) => Action::Pane(Pane::Bytes),
        (KeyCode::Char('4' | 'c'), _) => Action::Pane(Pane::Check),
        (KeyCode::Char(']'), _) => Action::File(1),
        (KeyCode::Char('['), _) => Action::File(-1),
        (KeyCode::Char('/'), _) => Action::Search,
        (KeyCode::Char('f'), _) => Action::Filter,
        (KeyCode::Char(':'), _) => Action::Goto,
        (KeyCode::Char('n'), _) => Action::Find(1),
        (KeyCode::Char('N'), _) => Action::Find(-1),
        (KeyCode::Char('s'), _) => Action::Sort,
        (KeyCode::Char('y'), _) => Action::Copy,
        (KeyCode::Char('Y'), _) => Action::CopyPlace,
        (KeyCode::Char('?') | KeyCode::F(1), _) => Action::Help,
        (KeyCode::Esc, _) => Action::Cancel,
        (KeyCode::Char('q'), _) => Action::Close,
        _ => return None,
    })
}

/// What the mouse means.
#[must_use]
pub const fn of_mouse(mouse: MouseEvent) -> Option<Action> {
    match mouse.kind {
        MouseEventKind::ScrollDown => Some(Action::Wheel { by: 3, column: mouse.column, row: mouse.row }),
        MouseEventKind::ScrollUp => Some(Action::Wheel { by: -3, column: mouse.column, row: mouse.row }),
        MouseEventKind::Down(MouseButton::Left) => {
            Some(Action::Click { column: mouse.column, row: mouse.row })
        }
        _ => None,
    }
}
