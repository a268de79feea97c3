/** One page in one browser, moved by the same real mouse and keyboard events in every engine. */
export interface Engine {
  resize(size: Size): Promise<void>;
  goto(url: string): Promise<void>;
  /** Runs a function body in the page; it must return plain data. */
  evaluate<T>(body: string): Promise<T>;
  /** Moves the pointer to a point of the window. */
  move(x: number, y: number): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
  /** Types characters into the focused element by the keyboard. */
  type(text: string): Promise<void>;
  press(key: 'Tab' | 'Enter' | 'ArrowLeft' | 'Backspace'): Promise<void>;
  stop(): Promise<void>;
}

export type EngineName = 'chromium' | 'firefox' | 'webkit';

/** The window, as large as a laptop's or as narrow as a phone's. */
export interface Size {
  width: number;
  height: number;
}
