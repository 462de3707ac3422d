// Mantine in our clothes: values live in tokens.css as variables, so no style element is injected at run time and the
// Content-Security-Policy can forbid inline styles.
import {
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type VariantColorsResolver,
} from '@mantine/core';
import { withLimitNote } from '../ui/limit-note.tsx';

const variantColorResolver: VariantColorsResolver = (input) => {
  const base = defaultVariantColorsResolver(input);
  if (input.color !== undefined && input.color !== 'dark') return base;
  if (input.variant === 'filled') {
    return {
      background: 'var(--button)',
      hover: 'var(--button-hover)',
      color: 'var(--button-ink)',
      border: '1px solid transparent',
    };
  }
  if (input.variant === 'subtle') {
    return {
      background: 'transparent',
      hover: 'var(--hover)',
      color: 'var(--ink-soft)',
      border: '1px solid transparent',
    };
  }
  return base;
};

export const theme = createTheme({
  primaryColor: 'dark',
  cursorType: 'pointer',
  focusRing: 'auto',
  variantColorResolver,
  respectReducedMotion: true,
  components: { InputWrapper: { defaultProps: { inputContainer: withLimitNote } } },
});

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'matriarch-theme' });
