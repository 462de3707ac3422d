// A button with a menu whose code is fetched when it is opened first, or in a quiet moment before: what a page begins with is
// lighter by all that places a menu and moves the focus in it. Closing brings the focus back to the button.
import {
  type KeyboardEvent,
  lazy,
  type ReactElement,
  type ReactNode,
  type Ref,
  Suspense,
  useRef,
  useState,
} from 'react';

const OpenedMenu = lazy(async () => ({ default: (await import('./menu.tsx')).OpenedMenu }));

export interface MenuButtonProps {
  ref: Ref<HTMLButtonElement>;
  'aria-haspopup': 'menu';
  onClick: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export interface LateMenuProps {
  width: number;
  button: (props: MenuButtonProps) => ReactElement;
  /** Its entries, of which the code is best lazy too. */
  children: ReactNode;
}

export function LateMenu({ width, button, children }: LateMenuProps) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setState('closed');
    opener.current?.focus({ preventScroll: true });
  };
  const own = button({
    ref: opener,
    'aria-haspopup': 'menu',
    onClick: () => setState(state === 'open' ? 'closed' : 'open'),
    onKeyDown: ({ key }) => {
      // The menu itself hears Escape only once it has the focus, which is a moment after it is seen.
      if (key === 'Escape' && state === 'open') close();
    },
  });
  if (state === 'never') return own;
  return (
    <Suspense fallback={own}>
      <OpenedMenu
        opened={state === 'open'}
        onChange={(open) => (open ? setState('open') : close())}
        width={width}
        button={own}
      >
        {children}
      </OpenedMenu>
    </Suspense>
  );
}
