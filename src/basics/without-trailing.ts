// Removes a repeated character from the end of a text in linear time; `/0+$/` would start again at each zero.

export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
