import { readdirSync } from 'node:fs'
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import type { Metrics } from './create-metrics.ts'

const GC_KINDS: Record<number, string> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak',
}

const SAMPLE_MS = 10

/** Exports event-loop lag and resource usage of the process. Returns a function that stops the measurement. */
export function watchProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  delay.enable()
  metrics.gauges('event_loop_lag_seconds', 'Lateness of timers since the last scrape', 'quantile', () => {
    // Each sample includes the timer's own period.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - SAMPLE_MS / 1000)
    const lags = { '0.5': late(delay.percentile(50)), '0.99': late(delay.percentile(99)), '1': late(delay.max) }
    delay.reset()
    return Number.isFinite(lags['1']) && lags['1'] < 3600 ? lags : {}
  })

  const pauses = metrics.histogram('gc_duration_seconds', 'Pauses of the garbage collector', {
    labels: ['kind'],
    buckets: [0.001, 0.01, 0.1, 1],
  })
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { detail?: { kind?: number } }
      pauses.observe({ kind: GC_KINDS[detail?.kind ?? 0] ?? 'other' }, duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  const start = Date.now() / 1000 - process.uptime()
  metrics.gauge('process_start_time_seconds', 'Start time of the process, in unix seconds', () => start)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
  metrics.gauges('process_heap_bytes', 'JavaScript heap, and memory that it references outside', 'part', () => {
    const { heapUsed, heapTotal, external } = process.memoryUsage()
    return { used: heapUsed, reserved: heapTotal, external }
  })
  // Linux only; elsewhere the read fails and the sample is omitted.
  metrics.gauge('process_open_fds', 'Open file descriptors', () => readdirSync('/proc/self/fd').length)
  const readCpu = () => {
    const { user, system } = process.cpuUsage()
    return { user: user / 1e6, system: system / 1e6 }
  }
  metrics.totals('process_cpu_seconds_total', 'Processor time', readCpu, 'mode')
  metrics.gauge('process_uptime_seconds', 'Age of the process', () => process.uptime())

  return () => {
    delay.disable()
    observer.disconnect()
  }
}
