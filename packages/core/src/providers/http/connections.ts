import type { Client, Dispatcher } from "undici";

/** Carries one exchange at a time. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** Its exchange is over. `isSound`: it can carry the next one. */
  release(isSound: boolean): void;
}

export interface Connections {
  /** A connection to `origin` that carries nothing. */
  take(origin: string): Connection;
  /** Ends all of them, with what they carry. */
  destroy(): Promise<void>;
}

/**
 * Connections that are kept for the next exchange, the last one first. undici's own pool takes a connection to be busy for
 * one more turn of the event loop after its answer, and opens another for the request that follows the answer at once: a
 * run would have twice as many connections as requests at a time, and pay for looking through them.
 */
export function createKeptConnections(open: (origin: string) => Client): Connections {
  const idle = new Map<string, Connection[]>();
  const clients = new Set<Client>();
  const idleAt = (origin: string): Connection[] => {
    let known = idle.get(origin);
    if (known === undefined) idle.set(origin, (known = []));
    return known;
  };
  return {
    take(origin) {
      const free = idleAt(origin);
      const kept = free.pop();
      if (kept !== undefined) return kept;
      const client = open(origin);
      clients.add(client);
      const connection: Connection = {
        dispatcher: client,
        release(isSound) {
          if (isSound) return void free.push(connection);
          clients.delete(client);
          // The callback form: a client that is destroyed already would reject.
          client.close(() => undefined);
        },
      };
      return connection;
    },
    async destroy() {
      idle.clear();
      // undici would make an error for each connection, and Node write out the stack of each.
      const cause = Object.assign(new Error("The client is destroyed"), { code: "UND_ERR_DESTROYED" });
      await Promise.all([...clients].map((client) => client.destroy(cause)));
    },
  };
}

/** A dispatcher that keeps its connections by itself. */
export function createSharedConnection(dispatcher: Dispatcher): Connections {
  const connection: Connection = { dispatcher, release: () => undefined };
  return { take: () => connection, destroy: () => dispatcher.destroy() };
}
