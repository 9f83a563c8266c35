declare module "write-file-atomic" {
  /** Writes to a temporary file beside the target, flushes it and renames it. */
  export default function writeFileAtomic(path: string, data: string): Promise<void>;
}
