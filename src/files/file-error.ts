// A file or folder that can't be used. The message is a complete sentence for operators: it names the path, what is wrong
// with it and what to do. Never holds content of a file.

export class FileError extends Error {
  override readonly name: string = "FileError";
}
