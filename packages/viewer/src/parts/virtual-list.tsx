import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface VirtualListProps {
  label: string;
  count: number;
  /** Of a row, in pixels; all are of one height. */
  rowHeight: number;
  /** −1 without one. */
  selected: number;
  /** What a row shows, and the class that its element has. */
  row(at: number): { className: string; children: ComponentChildren };
  /** `isStep` is false for keys that move from row to row, none of which is worth an entry in the history. */
  onSelect(at: number, isStep: boolean): void;
}

/** Rows above and below those that can be seen, so that a fast scroll shows no gap. */
const spare = 10;
/** Elements are used again for other rows; there are fewer rows on any screen. */
const recycled = 128;

const pageOfRows = 12;
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: pageOfRows,
  PageUp: -pageOfRows,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** A list of any length, of which only what can be seen is in the page. */
export function VirtualList({ label, count, rowHeight, selected, row, onSelect }: VirtualListProps) {
  const { list, first, visible } = useWindow(rowHeight);
  useLayoutEffect(() => {
    if (selected >= 0 && list.current !== null) reveal(list.current, selected * rowHeight, rowHeight);
  }, [selected, rowHeight, count]);
  const onScroll = (event: { currentTarget: HTMLDivElement }): void => {
    const at = Math.floor(event.currentTarget.scrollTop / rowHeight);
    // Within what is drawn already, nothing changes.
    if (Math.abs(at - first.peek()) > spare / 2 || at === 0) first.value = at;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = steps[event.key];
    if (by === undefined || count === 0) return;
    event.preventDefault();
    const next = selected === -1 && Number.isFinite(by) ? 0 : selected + by;
    onSelect(Math.min(count - 1, Math.max(0, next)), false);
  };
  const from = Math.max(0, Math.min(first.value, count - visible.value) - spare);
  const to = Math.min(count, first.value + visible.value + spare);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  return (
    <div
      ref={list}
      class="list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= from && selected < to ? `row-${selected}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="sizer" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {rows.map((at) => {
          const { className, children } = row(at);
          return (
            <div
              key={at % recycled}
              id={`row-${at}`}
              role="option"
              class={`row ${className}`}
              aria-selected={at === selected}
              aria-setsize={count}
              aria-posinset={at + 1}
              style={{ transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }}
              onClick={() => onSelect(at, true)}
            >
              {children}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Which rows can be seen. */
function useWindow(rowHeight: number) {
  const first = useSignal(0);
  const visible = useSignal(20);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    const measure = (): void => {
      visible.value = Math.min(Math.ceil(current.clientHeight / rowHeight), recycled - 2 * spare);
      first.value = Math.floor(current.scrollTop / rowHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [rowHeight]);
  return { list, first, visible };
}

function reveal(list: HTMLElement, top: number, height: number): void {
  const { scrollTop, clientHeight } = list;
  const isFar = top < scrollTop - clientHeight || top > scrollTop + 2 * clientHeight;
  if (isFar) list.scrollTo({ top: top - clientHeight / 3 });
  else if (top < scrollTop) list.scrollTo({ top });
  else if (top + height > scrollTop + clientHeight) list.scrollTo({ top: top + height - clientHeight });
}
