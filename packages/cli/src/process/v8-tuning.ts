// Flags are set when it is known that they pay, since V8 recompiles what it loads after a change of its flags.

/**
 * From here on it matters how the memory of a run is kept. In shorter runs V8 reaches the same peak without help, and
 * collections that come sooner hold up the answers.
 */
const manyTrials = 20_000;
/** In longer runs the sooner code is optimized, the better. */
const mostTrialsWithoutOptimizing = 2_500;
/** To read a trial takes a tenth of the time that it takes to run one. */
const mostTrialsReadAtOnce = 25_000;

/**
 * How many bytes of bytecode a function runs through before V8 optimizes it. V8 of Node 20 optimizes so early that a
 * program of a second or two spends a third of its CPU time on code that it hardly runs; later versions have a cheaper
 * compiler in between, and no such flag. The path of a trial is long and flat, which is why
 * long runs want optimized code sooner.
 */
const budgets = { usual: 66 * 1024, patient: 1_000_000, eager: 30_000 };

/**
 * V8 begins to mark what lives once the program is loaded, in small steps between everything else. What ends soon ends
 * before anything could be collected by that, and it takes a tenth of the time of a small run.
 */
const marking = { usual: "--incremental-marking", patient: "--no-incremental-marking", eager: "--incremental-marking" };

/**
 * V8 learns which code makes what lives long, and puts it among the old from then on, where it stays until a full
 * collection. From a run that begins it learns the wrong thing, which costs a tenth of the time of a long run and much of
 * its memory. And it lets a small heap grow fourfold between full collections; by a fifth takes no more time to
 * speak of. How far the heap may grow is decided in a full collection, so a large run begins with one.
 */
const memoryFlags = {
  set: "--no-allocation-site-pretenuring --heap-growing-percent=20",
  restored: "--allocation-site-pretenuring --heap-growing-percent=0",
};

/**
 * After a few answers V8 of Node 20 compiles the main function of the parser of HTTP for a second time, optimized. That
 * takes a sixth of the processor time of a run of 1,000 trials, and 30 MB, and 10,000 trials do not earn it back.
 */
const wasmFlags = {
  set: "--no-wasm-lazy-compilation --no-wasm-tier-up --no-wasm-dynamic-tiering",
  restored: "--wasm-lazy-compilation --wasm-tier-up --wasm-dynamic-tiering",
};

export interface V8Tuning {
  /** A config that is large is read once, so that the code which reads it is not worth optimizing. */
  forLargeConfig(): void;
  forTrials(count: number): void;
  /** The trials of a run that is over are read once, as a large config is. */
  forStoredTrials(count: number): void;
  /** What `compile` compiles is never optimized. Code of the user that is compiled later is. */
  forWasm<T>(compile: () => T): T;
  /** Sets the flags to what they were when V8 started: compiled code is kept for the next process, which starts with them. */
  restore(): void;
}

/** What V8 can be asked for while it runs. */
export interface V8Controls {
  setFlags(flags: string): void;
  /** Collects all garbage at once. */
  collect(): void;
}

/** @param version - of V8, such as `11.3.244.8-node.33` */
export function createV8Tuning(version: string, { setFlags, collect }: V8Controls): V8Tuning {
  const isOfNode20 = version.startsWith("11.");
  const setPace = (pace: keyof typeof budgets): void => {
    if (isOfNode20) setFlags(`--interrupt-budget=${budgets[pace]} ${marking[pace]}`);
  };
  return {
    forLargeConfig: () => setPace("patient"),
    forTrials(count) {
      setPace(count <= mostTrialsWithoutOptimizing ? "patient" : "eager");
      if (count < manyTrials) return;
      setFlags(memoryFlags.set);
      collect();
    },
    forStoredTrials(count) {
      if (count <= mostTrialsReadAtOnce) setPace("patient");
      else setFlags(memoryFlags.set);
    },
    forWasm(compile) {
      if (!isOfNode20) return compile();
      setFlags(wasmFlags.set);
      const compiled = compile();
      setFlags(wasmFlags.restored);
      return compiled;
    },
    restore() {
      setPace("usual");
      setFlags(memoryFlags.restored);
    },
  };
}
