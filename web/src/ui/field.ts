// What makes an input show a value and hand on what people change: its value with its handler, said once for all forms.

/** Of a field of text or a choice. */
export const typed = (value: string, set: (value: string) => void) => ({
  value,
  onChange: (event: { target: { value: string } }) => set(event.target.value),
});

/** Of a box to tick. */
export const ticked = (checked: boolean, set: (checked: boolean) => void) => ({
  checked,
  onChange: (event: { target: { checked: boolean } }) => set(event.target.checked),
});
