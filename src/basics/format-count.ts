// Numbers with what they count, as sentences have them.

/** `1 record`, `1,234 records`, `2 entries`. */
export function formatCount(count: number, noun: string): string {
  const several = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : several}`;
}
