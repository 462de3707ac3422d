// Light, dark or as the system says, as entries of a menu.
import { Menu, useMantineColorScheme } from '@mantine/core';
import { AutoThemeIcon, DarkIcon, LightIcon } from '../ui/icons.ts';

const THEMES = [
  { key: 'light', title: 'Light', icon: LightIcon },
  { key: 'dark', title: 'Dark', icon: DarkIcon },
  { key: 'auto', title: 'As the system', icon: AutoThemeIcon },
] as const;

export function ThemeItems() {
  // Mantine would stop transitions with a style element, which the Content-Security-Policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const choose = (value: string) => {
    const chosen = THEMES.find(({ key }) => key === value);
    if (chosen) setColorScheme(chosen.key);
  };
  return (
    <Menu.RadioGroup value={colorScheme} onChange={choose}>
      <Menu.Label>Theme</Menu.Label>
      {THEMES.map(({ key, title, icon: Icon }) => (
        <Menu.RadioItem key={key} value={key} rightSection={<Icon size={16} />}>
          {title}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
