// Text for a shell script, so that no character of it has a meaning there.

/** For bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In fish, a backslash also quotes inside single quotes. */
export function quoteFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
