/** Bytes of a base64 text; not valid text is no bytes. */
export function fromBase64(text: string): Uint8Array {
  try {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  } catch {
    return new Uint8Array(0);
  }
}

/** Little-endian 32-bit floats of a base64 text, whatever this machine's order is. */
export function floatsFromBase64(text: string): Float32Array {
  const bytes = fromBase64(text);
  const view = new DataView(bytes.buffer);
  const out = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(i * 4, true);
  return out;
}
