/** What a waiting list links; an item is in one list at most. */
export interface Linked<T> {
  previous: T | null;
  following: T | null;
}

/** First in, first out, and out of the middle at once: an abort must not search through thousands. */
export interface WaitingList<T extends Linked<T>> {
  readonly first: T | null;
  readonly size: number;
  add(item: T): void;
  /** Removes an item that is in this list. */
  remove(item: T): void;
}

export function createWaitingList<T extends Linked<T>>(): WaitingList<T> {
  let first: T | null = null;
  let last: T | null = null;
  let size = 0;
  return {
    get first() {
      return first;
    },
    get size() {
      return size;
    },
    add(item) {
      item.previous = last;
      if (last === null) first = item;
      else last.following = item;
      last = item;
      size += 1;
    },
    remove(item) {
      const { previous, following } = item;
      if (previous === null) first = following;
      else previous.following = following;
      if (following === null) last = previous;
      else following.previous = previous;
      item.previous = null;
      item.following = null;
      size -= 1;
    },
  };
}
