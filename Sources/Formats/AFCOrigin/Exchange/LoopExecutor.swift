internal import NIOCore

/// Runs tasks on the thread of an event loop: what they do there must be short, since connections wait for it.
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs a job once the loop comes to it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
