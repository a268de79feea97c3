package config

// FixedSettings is fixedSettings.
var FixedSettings = fixedSettings
