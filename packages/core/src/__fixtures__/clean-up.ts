import { afterAll } from "vitest";

type Action = () => void | Promise<void>;

const pending: Action[] = [];

/**
 * Runs `action` after the last test of the current file. Files share the modules of their worker, so a module of
 * `support` cannot call `afterAll` itself: it would be called once for the first file only.
 */
export function afterFile(action: Action): void {
  pending.push(action);
}

/** Called by `setup-file.ts`, which runs again for every test file. */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    await Promise.all(pending.splice(0).map(async (action) => action()));
  });
}
