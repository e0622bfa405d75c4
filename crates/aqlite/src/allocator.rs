//! The allocator of the programs.

pub use mimalloc::MiMalloc;

/// Gives back to the system what is free. The allocator keeps that for a second, in case it is needed again; a process that has
/// nearly all it may take is not worth waiting for that.
#[allow(unsafe_code, reason = "the allocator has no other way to say it")]
pub(crate) fn release() {
    // SAFETY: the function takes no pointer and may be called by any thread at any time; where a program has another
    // allocator, it finds nothing to give back.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
