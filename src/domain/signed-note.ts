// The form of a signed note (https://c2sp.org/signed-note): a text, a blank line, and signature lines. Signs and
// verifies nothing.

export interface NoteSignature {
  readonly keyName: string;
  /** The key id, four bytes, and the signature; base64. */
  readonly value: string;
}

export interface SignedNote {
  /** Ends with a newline, which is signed too. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const signaturesMax = 16;
const signatureLine = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

export function writeNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ keyName, value }) => `— ${keyName} ${value}\n`);
  return `${text}\n${lines.join("")}`;
}

/** Undefined if the text is not a signed note. */
export function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return undefined;
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > signaturesMax) return undefined;
  const signatures = lines.flatMap((line) => {
    const [, keyName, value] = signatureLine.exec(line) ?? [];
    return keyName === undefined || value === undefined ? [] : [{ keyName, value }];
  });
  return signatures.length === lines.length
    ? { text: note.slice(0, end + 1), signatures }
    : undefined;
}
