//! A date that is given, not taken from the clock, and the way `strftime` writes it.

use std::fmt::Write as _;
use std::str::FromStr;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A day and time of day of the Gregorian calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Date {
    year: u32,
    /// From 1.
    month: u32,
    /// From 1.
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a date is 2026-01-31, or 2026-01-31T18:00:00".to_owned();
        let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
        let numbers = |text: &str, by: char| -> Option<[u32; 3]> {
            let mut parts = text.split(by).map(|part| part.parse().ok());
            let numbers = [parts.next()??, parts.next()??, parts.next()??];
            parts.next().is_none().then_some(numbers)
        };
        let [year, month, day] = numbers(day, '-').ok_or_else(wrong)?;
        let [hour, minute, second] = numbers(time, ':').ok_or_else(wrong)?;
        let date = Self { year, month, day, hour, minute, second };
        let fits = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=date.days_of_month(month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        if fits { Ok(date) } else { Err(wrong()) }
    }
}

impl Date {
    /// The day that it is now, by the clock and in UTC; `None` where the clock is not of this age.
    #[cfg(feature = "view")]
    pub(super) fn today() -> Option<Self> {
        let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let of_day = u32::try_from(seconds % 86_400).ok()?;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let mut date = Self { year: 1970, month: 1, day: 1, hour, minute, second };
        let mut days = u32::try_from(seconds / 86_400).ok().filter(|days| *days < 2_900_000)?;
        loop {
            let month = date.days_of_month(date.month);
            if days < month {
                return Some(Self { day: days + 1, ..date });
            }
            days -= month;
            (date.year, date.month) =
                if date.month == 12 { (date.year + 1, 1) } else { (date.year, date.month + 1) };
        }
    }

    fn is_leap(&self) -> bool {
        self.year.is_multiple_of(4) && !self.year.is_multiple_of(100) || self.year.is_multiple_of(400)
    }

    fn days_of_month(&self, month: u32) -> u32 {
        match month {
            2 if self.is_leap() => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// The day's number in its year, from 1.
    fn day_of_year(&self) -> u32 {
        (1..self.month).map(|month| self.days_of_month(month)).sum::<u32>() + self.day
    }

    /// 0 is Sunday.
    fn weekday(&self) -> u32 {
        let years = self.year - 1;
        (years * 365 + years / 4 - years / 100 + years / 400 + self.day_of_year()) % 7
    }

    /// The date as `strftime` of C and Python writes it in English; what is not known stays as it is.
    pub(super) fn format(&self, format: &str) -> String {
        let name = |names: &[&'static str], at: u32| names.get(at as usize).copied().unwrap_or_default();
        let month = name(&MONTHS, self.month - 1);
        let weekday = name(&DAYS, self.weekday());
        let hour12 = match self.hour % 12 {
            0 => 12,
            hour => hour,
        };
        let mut out = String::new();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let mut code = chars.next();
            // `%-d`: without the leading zero.
            let bare = code == Some('-');
            if bare {
                code = chars.next();
            }
            let mut number = |n: u32, width: usize| {
                let width = if bare { 1 } else { width };
                let _ = write!(out, "{n:0width$}");
            };
            match code {
                Some('Y') => number(self.year, 4),
                Some('y') => number(self.year % 100, 2),
                Some('m') => number(self.month, 2),
                Some('d') => number(self.day, 2),
                Some('H') => number(self.hour, 2),
                Some('I') => number(hour12, 2),
                Some('M') => number(self.minute, 2),
                Some('S') => number(self.second, 2),
                Some('j') => number(self.day_of_year(), 3),
                Some('w') => number(self.weekday(), 1),
                Some('B') => out.push_str(month),
                Some('b' | 'h') => out.push_str(month.get(..3).unwrap_or(month)),
                Some('A') => out.push_str(weekday),
                Some('a') => out.push_str(weekday.get(..3).unwrap_or(weekday)),
                Some('p') => out.push_str(if self.hour < 12 { "AM" } else { "PM" }),
                Some('e') => {
                    let _ = write!(out, "{:2}", self.day);
                }
                Some('F') => out.push_str(&self.format("%Y-%m-%d")),
                Some('T') => out.push_str(&self.format("%H:%M:%S")),
                Some('%') => out.push('%'),
                Some(other) => {
                    out.push_str(if bare { "%-" } else { "%" });
                    out.push(other);
                }
                None => out.push_str(if bare { "%-" } else { "%" }),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    fn written(date: &str, format: &str) -> String {
        date.parse::<Date>().unwrap().format(format)
    }

    #[test]
    fn dates_are_written_as_strftime_does() {
        assert_eq!(written("2024-02-29", "%d %b %Y, %A, day %j"), "29 Feb 2024, Thursday, day 060");
        assert_eq!(
            written("2026-11-01T00:05:09", "%F %T %I:%M %p %-d %e|%B|%a|%y"),
            "2026-11-01 00:05:09 12:05 AM 1  1|November|Sun|26"
        );
        assert_eq!(written("1-01-01", "%A"), "Monday");
        assert_eq!(written("2000-12-31", "%j %% %Q %-Q %"), "366 % %Q %-Q %");
    }

    #[test]
    fn days_that_are_not_there_are_refused() {
        for text in
            ["2023-02-29", "2024-13-01", "2024-1", "0-01-01", "2024-01-01T24:00:00", "2024-01-01-01", ""]
        {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }
}
