//! The only module with `unsafe`: advice to the kernel about memory, and maps of files.
//!
//! Each block states its contract.

#![allow(unsafe_code)]

/// Regions smaller than this are not worth a call: fresh small pages cost less.
#[cfg(target_os = "linux")]
const WORTH_ADVISING: usize = 4 << 20;

/// Bytes of a huge page on the systems where the advice matters.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages under a large fresh buffer: its first touch then costs a fifth. Only advice; failure is ignored
/// and the contents do not change.
#[cfg(target_os = "linux")]
pub(crate) fn advise_huge(buffer: &mut [u8]) {
    if buffer.len() < WORTH_ADVISING {
        return;
    }
    let skip = buffer.as_ptr().align_offset(HUGE_PAGE);
    let Some(inside) = buffer.get_mut(skip..) else { return };
    let len = inside.len() - inside.len() % HUGE_PAGE;
    if len == 0 {
        return;
    }
    // SAFETY: the range lies inside `buffer`, which is borrowed exclusively, begins and ends on page boundaries, and
    // MADV_HUGEPAGE changes neither contents nor mappings: it only tells the kernel how to back them.
    unsafe {
        libc::madvise(inside.as_mut_ptr().cast(), len, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise_huge(_buffer: &mut [u8]) {}
