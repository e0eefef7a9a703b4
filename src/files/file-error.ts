// A file or folder that can't be used. The message is a complete sentence for operators: it names the path, what is
// wrong and what to do. Never contains content of a file.

export class FileError extends Error {
  override readonly name: string = "FileError";
  /** The file or folder that was to be used, if a setting can determine it. */
  readonly path: string | undefined;

  constructor(message: string, { path, cause }: FileErrorOptions = {}) {
    super(message, { cause });
    this.path = path;
  }
}

interface FileErrorOptions extends ErrorOptions {
  readonly path?: string;
}

/** The code of an error of the operating system, such as ENOENT. */
export function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : undefined;
}
