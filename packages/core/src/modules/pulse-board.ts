/** Whose code runs: the id of a call, and the number of the check, tool or plugin that it belongs to. 0: nobody's. */
export interface CodeOwner {
  readonly id: number;
  readonly site: number;
}

export const nobody: CodeOwner = { id: 0, site: 0 };

/** What can be read of a worker that no longer answers, since it lies in memory that both sides see. */
export interface PulseBoard {
  readonly memory: SharedArrayBuffer;
  /** The owner of the code that runs, or ran last. */
  running(): CodeOwner;
  setRunning(owner: CodeOwner): void;
  /** The id of the last call that the worker has taken up; it takes them up in the order of their ids. */
  begun(): number;
  setBegun(id: number): void;
}

const [runningId, runningSite, lastBegun] = [0, 1, 2];

export function createPulseBoard(memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)): PulseBoard {
  const cells = new Int32Array(memory);
  return {
    memory,
    running: () => ({ id: Atomics.load(cells, runningId), site: Atomics.load(cells, runningSite) }),
    setRunning({ id, site }) {
      Atomics.store(cells, runningId, id);
      Atomics.store(cells, runningSite, site);
    },
    begun: () => Atomics.load(cells, lastBegun),
    setBegun: (id) => void Atomics.store(cells, lastBegun, id),
  };
}
