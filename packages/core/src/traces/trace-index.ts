import type { Result } from "../result.js";
import type { Span } from "./span.js";

/** A part of a file or a stream that holds spans, and is read again when they are needed. */
export interface SpanPart {
  read(): Result<readonly Span[], string>;
}

/** How many parts are held to be looked at again. */
const mostHeld = 8;

/**
 * Which parts of files hold the spans of a trace: they may be in any order and in several files. Holds places, and none
 * of what was said. Traces that are linked are one.
 */
export class TraceIndex {
  /** Parts that were read last: one holds spans of several traces. */
  readonly #held = new Map<SpanPart, readonly Span[]>();
  readonly #parts = new Map<string, Set<SpanPart>>();
  readonly #joined = new Map<string, string>();

  /** Takes in the spans of a part. */
  add(part: SpanPart, spans: readonly Span[]): void {
    for (const { traceId, links, attributes } of spans) {
      const parts = this.#parts.get(traceId) ?? new Set();
      this.#parts.set(traceId, parts.add(part));
      // A trial that KindLM exported links to its case, as all trials do.
      for (const linked of attributes.has("kindlm.trial") ? [] : links) {
        const [from, to] = [this.#rootOf(traceId), this.#rootOf(linked)];
        if (from !== to) this.#joined.set(from, to);
      }
    }
  }

  /** The ids of traces of one conversation each, in the order in which they came. */
  groups(): readonly (readonly string[])[] {
    const groups = new Map<string, string[]>();
    for (const id of this.#parts.keys()) {
      const root = this.#rootOf(id);
      groups.set(root, [...(groups.get(root) ?? []), id]);
    }
    return [...groups.values()];
  }

  /** The spans of some traces, read again. */
  spansOf(ids: readonly string[]): readonly Span[] {
    const wanted = new Set(ids);
    const parts = new Set(ids.flatMap((id) => [...(this.#parts.get(id) ?? [])]));
    return [...parts].flatMap((part) => this.#spansIn(part).filter(({ traceId }) => wanted.has(traceId)));
  }

  #spansIn(part: SpanPart): readonly Span[] {
    const held = this.#held.get(part);
    if (held !== undefined) return held;
    const read = part.read();
    const spans = read.success ? read.data : [];
    this.#held.set(part, spans);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= mostHeld) break;
      this.#held.delete(oldest);
    }
    return spans;
  }

  #rootOf(id: string): string {
    let root = id;
    for (let next = this.#joined.get(root); next !== undefined; next = this.#joined.get(root)) root = next;
    if (root !== id) this.#joined.set(id, root);
    return root;
  }
}
