//! Choosing, while the program runs, among the same code compiled for narrower and wider registers.
//!
//! The code is plain Rust over arrays of fixed size; only what the compiler may use for it differs. Floats give the same
//! bits in each: nothing is fused and nothing is rearranged, whatever the processor could do.
//!
//! The only `unsafe` here is the promise that the processor has what the function was compiled for.

/// Work whose whole body is inlined into the function that is compiled for some processor. Its `run`, and what that calls in
/// its loops, must be `#[inline(always)]`: what is not stays compiled for any processor.
pub(crate) trait Wide {
    fn run(self);
}

/// Does the work with the widest registers that this processor has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the features are tested in the line before")]
pub(crate) fn run(work: impl Wide) {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn avx512(work: impl Wide) {
        work.run();
    }
    #[target_feature(enable = "avx2")]
    fn avx2(work: impl Wide) {
        work.run();
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: all features that `avx512` is compiled for were found.
        unsafe { avx512(work) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature that `avx2` is compiled for was found.
        unsafe { avx2(work) }
    } else {
        work.run();
    }
}

/// Does the work; every processor of this kind has the same registers.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run(work: impl Wide) {
    work.run();
}
